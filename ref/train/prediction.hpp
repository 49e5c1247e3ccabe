#pragma once

#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::train {

using tensor::Mask;
using tensor::Tensor;

/// Returns the predicted class of each sentence: the class with the largest logit, or the first
/// such class if several logits are equal. If the logits are per position, it uses their sum over
/// the real positions, in ascending order.
std::vector<int> predict(const Tensor<double>& logits, const Mask& valid);

}  // namespace normproof::ref::train
