#pragma once

#include <cstdint>
#include <string>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

/// Which elements a dropout keeps: a function of seed, step, layer, tensor and element, whatever
/// runs before it or beside it.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::string place;            ///< "layers.0.attention_weights"
  const Mask* given = nullptr;  ///< where it is there, these elements, and nothing is drawn
};

/// Computes  element i is kept where
///           RandomStream(seed, "dropout/<step>/<place>").uniform(first + i) >= rate, or where
///           element first + i of key.given says so
/// Requires  (C1) 0 <= rate < 1  (C3) key.given has these elements, if it is there
/// Throws    ContractError
Mask dropout_mask(const tensor::Shape& shape, double rate, const DropoutKey& key,
                  std::uint64_t first = 0);

/// Source    [SHK+14]; docs/specification/encoder.md
/// Computes  y_i = x_i s where it is kept, else +0, s = 1 / (1 - rate). It is its own backward
/// Requires  (C1)  (C2) keep has the shape of x
template <numeric::Real T>
Tensor<T> dropout(const Tensor<T>& x, const Mask& keep, double rate);
template <numeric::Real T>
void dropout_in_place(Tensor<T>& x, const Mask& keep, double rate);

}  // namespace normproof::ref::nn
