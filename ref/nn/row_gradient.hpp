#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

/// The gradient of a tensor [V,D] if a batch used only some rows of the tensor. It stores only
/// these rows.
template <class T>
struct RowGradient {
  std::vector<std::size_t> rows;  ///< the indices of the stored rows, ascending, each once
  tensor::Tensor<T> values;       ///< [R,D], the stored rows; all other rows are 0
};

}  // namespace normproof::ref::nn
