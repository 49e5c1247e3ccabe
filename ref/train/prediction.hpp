#pragma once

#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::train {

using tensor::Mask;
using tensor::Tensor;

/// The class of the largest logit of each sentence, the first of equal ones; per_position by the
/// sum over real positions, ascending.
std::vector<int> predict(const Tensor<double>& logits, const Mask& valid);

}  // namespace normproof::ref::train
