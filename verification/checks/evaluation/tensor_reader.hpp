#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::verification::checks::evaluation {

/// One file's tensors by name, and the one way to complain about them.
///
/// Throws    FileError naming the file, the tensor and the expectation
class TensorReader {
 public:
  TensorReader(std::string_view file, std::span<const ref::io::StoredTensor> tensors)
      : file_(file), tensors_(tensors) {}

  [[noreturn]] void fail(std::string_view name, std::string_view observation,
                         std::string_view expectation) const;

  /// Checks    that every tensor has one of these names
  void check_names(const std::vector<std::string>& known) const;

  const ref::io::StoredTensor* find(std::string_view name) const;
  /// Throws    FileError where there is none: "is absent; expected <expectation>"
  const ref::io::StoredTensor& required(std::string_view name, std::string_view expectation) const;

  void check_shape(const ref::io::StoredTensor& tensor, const ref::tensor::Shape& expected) const;

  /// Each element as the double that it is.
  std::vector<double> values(const ref::io::StoredTensor& tensor) const;
  /// The same of a mask, whose elements are booleans or 0 and 1.
  std::vector<double> mask_values(const ref::io::StoredTensor& tensor) const;
  /// The same of whole numbers from 0 to count - 1.
  std::vector<int> ids(const ref::io::StoredTensor& tensor, std::size_t count) const;

 private:
  std::string_view file_;
  std::span<const ref::io::StoredTensor> tensors_;
};

/// The part number `step` of values, each of this shape.
ref::tensor::Tensor<double> slice(const std::vector<double>& values, std::size_t step,
                                  const ref::tensor::Shape& shape);

/// `state` with the tensors of its names that the file has; `iterations` may be without axes.
ref::tensor::NamedTensors<double> read_state(const TensorReader& reader,
                                             ref::tensor::NamedTensors<double> state);

/// The mask of that name and shape; empty where the file has none.
ref::tensor::Mask read_mask(const TensorReader& reader, std::string_view name,
                            const ref::tensor::Shape& shape);

/// The extents of a matrix; nothing where the file has none of that name, or it has another rank.
std::optional<std::pair<std::size_t, std::size_t>> extents_of_matrix(const TensorReader& reader,
                                                                     std::string_view name);

/// What is not 0 is true.
ref::tensor::Mask to_mask(const ref::tensor::Tensor<double>& numbers);

}  // namespace normproof::verification::checks::evaluation
