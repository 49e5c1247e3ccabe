#pragma once

#include <cstdint>
#include <string>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

/// Determines which elements a dropout keeps. An element's result depends only on the seed, the
/// step, the name of the tensor and the index of the element. It does not depend on what is
/// computed before or concurrently.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::string place;            ///< name of the tensor, such as "layers.0.attention_weights"
  const Mask* given = nullptr;  ///< if not null, this mask is used instead of random numbers
};

/// Returns the mask of the elements that dropout keeps. `first` is the index of the first element
/// in the whole tensor.
/// Computes  element i is kept if RandomStream(seed, "dropout/<step>/<place>").uniform(first + i)
///           >= rate. If key.given is not null, element first + i of key.given says instead whether
///           element i is kept
/// Requires  (C1) 0 <= rate < 1  (C3) key.given is null or has these elements
/// Throws    ContractError
Mask dropout_mask(const tensor::Shape& shape, double rate, const DropoutKey& key,
                  std::uint64_t first = 0);

/// Applies a dropout mask. The backward of dropout is the same function, applied to grad_y.
/// Source    [SHK+14]; docs/specification/encoder.md
/// Computes  y_i = x_i s if element i is kept, else +0, where s = 1 / (1 - rate)
/// Requires  (C1) of dropout_mask  (C2) keep has the shape of x
template <numeric::Real T>
Tensor<T> dropout(const Tensor<T>& x, const Mask& keep, double rate);
template <numeric::Real T>
void dropout_in_place(Tensor<T>& x, const Mask& keep, double rate);

}  // namespace normproof::ref::nn
