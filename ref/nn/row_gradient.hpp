#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

/// The gradient of a tensor [V,D] of which a batch touched only some rows.
template <class T>
struct RowGradient {
  std::vector<std::size_t> rows;  ///< the touched rows, ascending, each once
  tensor::Tensor<T> values;       ///< [R,D]; the other rows are 0
};

}  // namespace normproof::ref::nn
