#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::verification::checks::evaluation {

/// Reads the tensors of one file by name. All errors have the same form.
///
/// Throws    FileError naming the file, the tensor and the expectation
class TensorReader {
 public:
  /// Returns the factor of each element of a tensor; nothing if its elements are not scaled.
  using Scales = std::function<std::vector<double>(const ref::io::StoredTensor&)>;

  /// With `scales`, elements are multiplied by their factors, and tensors whose names end in
  /// "_scale" or contain "_scale_" are not inputs. Every product must be exact in double.
  TensorReader(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
               Scales scales = {})
      : file_(file), tensors_(tensors), scales_(std::move(scales)) {}

  std::string_view file() const { return file_; }

  [[noreturn]] void fail(std::string_view name, std::string_view observation,
                         std::string_view expectation) const;

  /// Checks    that the name of every tensor in the file is one of these names
  void check_names(const std::vector<std::string>& known) const;

  const ref::io::StoredTensor* find(std::string_view name) const;
  /// Returns the tensor of this name.
  /// Throws    FileError "is absent; expected <expectation>" if the file does not contain it
  const ref::io::StoredTensor& required(std::string_view name, std::string_view expectation) const;

  void check_shape(const ref::io::StoredTensor& tensor, const ref::tensor::Shape& expected) const;

  /// Returns the elements of a tensor as doubles. The conversion is exact. Scaled elements are
  /// multiplied by their factors.
  std::vector<double> values(const ref::io::StoredTensor& tensor) const;
  /// Returns the elements of a mask. They must be booleans or 0 and 1.
  std::vector<double> mask_values(const ref::io::StoredTensor& tensor) const;
  /// Returns the elements of a tensor of ids. They must be whole numbers from 0 to count - 1.
  std::vector<int> ids(const ref::io::StoredTensor& tensor, std::size_t count) const;

 private:
  std::string_view file_;
  std::span<const ref::io::StoredTensor> tensors_;
  Scales scales_;
};

/// Returns the values of one step as a tensor of the given shape. `values` holds all steps.
ref::tensor::Tensor<double> select_step_slice(const std::vector<double>& values, std::size_t step,
                                              const ref::tensor::Shape& shape);

/// Returns `state` with the values of the file: a tensor of `state` that the file contains is
/// replaced by the tensor in the file. `iterations` may be a scalar in the file.
ref::tensor::NamedTensors<double> read_state(const TensorReader& reader,
                                             ref::tensor::NamedTensors<double> state);

/// Returns the mask with this name and shape; empty if the file does not contain it.
ref::tensor::Mask read_mask(const TensorReader& reader, std::string_view name,
                            const ref::tensor::Shape& shape);

/// Returns the extents of a matrix; nothing if the file does not contain it or it has another rank.
std::optional<std::pair<std::size_t, std::size_t>> extents_of_matrix(const TensorReader& reader,
                                                                     std::string_view name);

/// Returns a mask that is true for nonzero elements.
ref::tensor::Mask convert_to_mask(const ref::tensor::Tensor<double>& numbers);

}  // namespace normproof::verification::checks::evaluation
