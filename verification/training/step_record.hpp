#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/ball.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::training {

/// The tensors of a step under names that differ, in the order in which they came.
class StepRecord {
 public:
  /// The name as it is, or with ".2", ".3", ... where it came before.
  std::string unique(const std::string& name);

  void add(ref::io::StoredTensor tensor) { tensors_.push_back(std::move(tensor)); }
  void add(const std::string& name, const ref::tensor::Tensor<double>& values);
  /// With what remains beside it; the name of the tensor and the place of the first element whose
  /// nearest double is not decided, and then nothing is added.
  std::optional<std::string> add(const std::string& name,
                                 const ref::tensor::Tensor<ref::numeric::ball>& values);

  const std::vector<ref::io::StoredTensor>& tensors() const { return tensors_; }

 private:
  std::vector<ref::io::StoredTensor> tensors_;
  std::map<std::string, int> seen_;
};

/// float64; 0 and 1 of a dropout's mask ("....keep") as boolean, row_ids as int64.
ref::io::DType dtype_of_tap(const std::string& name);

}  // namespace normproof::verification::training
