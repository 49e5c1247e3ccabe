#pragma once

#include <initializer_list>

#include "ref/tensor/tensor.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::norm {

using numeric::contract_message;

/// Returns a tensor [N,1] with the given values. The initializer {{1}, {2}} would be ambiguous.
inline tensor::Tensor<double> column(std::initializer_list<double> values) {
  auto result = tensor::empty_tensor<double>({values.size(), 1});
  std::size_t i = 0;
  for (const double v : values) result.data()[i++] = v;
  return result;
}

}  // namespace normproof::ref::norm
