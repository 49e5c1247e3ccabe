#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::encoder {

/// Sees tensors as they come, by name: "layers.0.attention.weights", "grad_layers.0.norm1.x", and
/// nothing where it is empty. What is not asked for need not be computed; no bit of a step depends
/// on what is.
template <class T>
class Tap {
 public:
  using See = std::function<void(const std::string& name, const tensor::Tensor<T>& values)>;
  using Asks = std::function<bool(const std::string& name)>;

  Tap() = default;
  /// A tap that asks for every tensor.
  template <class F,
            class = std::enable_if_t<std::is_constructible_v<See, F> && !std::is_same_v<F, Tap>>>
  Tap(F see) : see_(std::move(see)) {}  // NOLINT(google-explicit-constructor)
  /// A tap that sees the tensors whose names it asks for.
  Tap(See see, Asks asks) : see_(std::move(see)), asks_(std::move(asks)) {}

  explicit operator bool() const { return static_cast<bool>(see_); }
  bool asks_for(const std::string& name) const { return see_ && (!asks_ || asks_(name)); }
  void operator()(const std::string& name, const tensor::Tensor<T>& values) const {
    if (asks_for(name)) see_(name, values);
  }

 private:
  See see_;
  Asks asks_;
};

/// Shows a tensor that is there.
template <class T>
void show(const Tap<T>& tap, const std::string& name, const tensor::Tensor<T>& values) {
  if (tap && tensor::is_given(values)) tap(name, values);
}

/// 1 where a dropout keeps.
template <class T>
void show_mask(const Tap<T>& tap, const std::string& name, const tensor::Mask& keep) {
  if (!tap.asks_for(name) || !tensor::is_given(keep)) return;
  tensor::Tensor<T> values = tensor::empty_tensor<T>(tensor::shape_of(keep));
  for (std::size_t i = 0; i < keep.size(); ++i) values.data()[i] = T(keep.data()[i] ? 1 : 0);
  tap(name, values);
}

}  // namespace normproof::ref::encoder
