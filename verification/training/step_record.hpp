#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/ball.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::training {

/// The tensors of one training step, in the order in which they were added. Their names are
/// distinct.
class StepRecord {
 public:
  /// Returns a name that was not returned before: `name` itself, or `name` with ".2", ".3", ...
  /// appended.
  std::string make_unique_name(const std::string& name);

  void add(ref::io::StoredTensor tensor) { tensors_.push_back(std::move(tensor)); }
  void add(const std::string& name, const ref::tensor::Tensor<double>& values);
  /// Adds the doubles nearest to the elements of `values`. If they are stored as float64, it also
  /// adds the remainders (each element minus its nearest double) under the name "<name>_lo". If the
  /// precision of an element is too low to decide its nearest double, it adds nothing and returns
  /// the tensor's name and the element's index.
  std::optional<std::string> add(const std::string& name,
                                 const ref::tensor::Tensor<ref::numeric::ball>& values);

  const std::vector<ref::io::StoredTensor>& tensors() const { return tensors_; }

 private:
  std::vector<ref::io::StoredTensor> tensors_;
  std::map<std::string, int> seen_;
};

/// Returns the dtype in which the tensor of this name is stored: boolean for a dropout mask
/// ("....keep"), int64 for row_ids, otherwise float64.
ref::io::DType tap_tensor_dtype(const std::string& name);

}  // namespace normproof::verification::training
