#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::encoder {

/// Lets a caller receive intermediate tensors of a model by name, such as
/// "layers.0.attention.weights" or "grad_layers.0.norm1.x". An empty tap receives nothing. Tensors
/// that the tap does not request need not be computed. A tap never affects the bits of a step.
template <class T>
class TensorTap {
 public:
  using See = std::function<void(const std::string& name, const tensor::Tensor<T>& values)>;
  using Asks = std::function<bool(const std::string& name)>;

  TensorTap() = default;
  /// Creates a tap that receives every tensor.
  template <class F, class = std::enable_if_t<std::is_constructible_v<See, F> &&
                                              !std::is_same_v<F, TensorTap>>>
  TensorTap(F see) : see_(std::move(see)) {}  // NOLINT(google-explicit-constructor)
  /// Creates a tap that receives the tensors for whose names `is_requested` returns true.
  TensorTap(See see, Asks is_requested) : see_(std::move(see)), asks_(std::move(is_requested)) {}

  explicit operator bool() const { return static_cast<bool>(see_); }
  bool requests(const std::string& name) const { return see_ && (!asks_ || asks_(name)); }
  void operator()(const std::string& name, const tensor::Tensor<T>& values) const {
    if (requests(name)) see_(name, values);
  }

 private:
  See see_;
  Asks asks_;
};

/// Passes a tensor to the tap, unless the tensor is empty.
template <class T>
void pass_to_tap(const TensorTap<T>& tap, const std::string& name,
                 const tensor::Tensor<T>& values) {
  if (tap && tensor::is_given(values)) tap(name, values);
}

/// Passes a dropout mask to the tap as numbers: 1 for an element that dropout keeps, otherwise 0.
template <class T>
void pass_mask_to_tap(const TensorTap<T>& tap, const std::string& name, const tensor::Mask& keep) {
  if (!tap.requests(name) || !tensor::is_given(keep)) return;
  tensor::Tensor<T> values = tensor::empty_tensor<T>(tensor::shape_of(keep));
  for (std::size_t i = 0; i < keep.size(); ++i) values.data()[i] = T(keep.data()[i] ? 1 : 0);
  tap(name, values);
}

}  // namespace normproof::ref::encoder
