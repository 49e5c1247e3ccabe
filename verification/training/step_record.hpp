#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/ball.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::training {

/// The tensors of a step under distinct names, in the order in which they were added.
class StepRecord {
 public:
  /// Returns the name, with ".2", ".3", ... appended if it came before.
  std::string unique(const std::string& name);

  void add(ref::io::StoredTensor tensor) { tensors_.push_back(std::move(tensor)); }
  void add(const std::string& name, const ref::tensor::Tensor<double>& values);
  /// Adds the nearest doubles of a tensor and, as another tensor, the remainders. If the nearest
  /// double of an element is undecided, returns the tensor's name and the element's index and adds
  /// nothing.
  std::optional<std::string> add(const std::string& name,
                                 const ref::tensor::Tensor<ref::numeric::ball>& values);

  const std::vector<ref::io::StoredTensor>& tensors() const { return tensors_; }

 private:
  std::vector<ref::io::StoredTensor> tensors_;
  std::map<std::string, int> seen_;
};

/// Returns the dtype that a tensor is stored with: boolean for the 0 and 1 of a dropout mask
/// ("....keep"), int64 for row_ids, otherwise float64.
ref::io::DType dtype_of_tap(const std::string& name);

}  // namespace normproof::verification::training
