#pragma once

#include <initializer_list>
#include <string>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::norm {

/// The sentence of the ContractError that f throws, or "no error".
template <class F>
std::string contract_message(F&& f) {
  try {
    f();
  } catch (const numeric::ContractError& error) {
    return error.what();
  }
  return "no error";
}

/// A tensor [N,1]: nested braces cannot say it, for {{1}, {2}} is ambiguous.
inline tensor::Tensor<double> column(std::initializer_list<double> values) {
  auto result = tensor::empty_tensor<double>({values.size(), 1});
  std::size_t i = 0;
  for (const double v : values) result.data()[i++] = v;
  return result;
}

}  // namespace normproof::ref::norm
