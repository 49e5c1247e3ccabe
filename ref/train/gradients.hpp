#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ref/nn/row_gradient.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::train {

/// The gradients of a model's parameters, by name. Each parameter is in exactly one of the two
/// lists: `dense`, or `rows` if its gradient has only some rows.
template <class T>
struct Gradients {
  tensor::NamedTensors<T> dense;
  std::vector<std::pair<std::string, nn::RowGradient<T>>> rows;
};

}  // namespace normproof::ref::train
