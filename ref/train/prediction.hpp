#pragma once

#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::train {

using tensor::Mask;
using tensor::Tensor;

/// Returns for each sentence the class of the largest logit, the first one if several are equal.
/// For per_position logits it uses their sum over the real positions, in ascending order.
std::vector<int> predict(const Tensor<double>& logits, const Mask& valid);

}  // namespace normproof::ref::train
