#pragma once

#include <numbers>
#include <string>

#include "verification/golden/plain/plain_encoder_parts.hpp"

namespace normproof::verification::golden::plain {

/// The feed-forward network `second(activation(first(x)))`, forward and backward, written with
/// simple loops.
template <class T>
class PlainFeedForward {
 public:
  PlainFeedForward(PlainEncoderContext<T>& parts, const std::string& place)
      : parts_(parts),
        sites_(parts.sites_),
        activation_(parts.in_.config.activation),
        first_{"feed_forward.first", place + "feed_forward.first", parts.in_.config.d_model,
               parts.in_.config.d_ff},
        second_{"feed_forward.second", place + "feed_forward.second", parts.in_.config.d_ff,
                parts.in_.config.d_model} {}

  Numbers<T> forward(const Numbers<T>& x) {
    inner_ = parts_.linear(first_, x);
    active_.clear();
    for (const T v : inner_)
      active_.push_back(activation_ == model::Activation::relu ? apply_relu(v) : v * gate(v));
    active_ = parts_.apply_dropout("feed_forward.active", active_);
    return parts_.linear(second_, active_);
  }

  Numbers<T> backward(const Numbers<T>& dy, const Numbers<T>& x, NamedNumbers<T>& gradients) {
    Numbers<T> grad = parts_.apply_dropout(
        "feed_forward.active", parts_.linear_backward(second_, dy, active_, gradients), true);
    for (std::size_t i = 0; i < grad.size(); ++i)
      grad[i] *= activation_ == model::Activation::relu
                     ? step(inner_[i])
                     : gate(inner_[i]) + sites_.term("x times the slope of the gate",
                                                     inner_[i] * slope(inner_[i]));
    return parts_.linear_backward(first_, grad, x, gradients);
  }

 private:
  T apply_relu(T x) {
    const MutationOperator below =
        sites_.any("values below 0", {MutationOperator::drop, MutationOperator::negate});
    if (x > 0 || below == MutationOperator::drop) return x;
    return below == MutationOperator::negate ? -x : T(0);
  }
  /// Returns the derivative of relu. If x is exactly 0, the error bound allows both one-sided
  /// derivatives, because the sum x need not be exactly 0 if its terms are added in another order.
  T step(T x) {
    const bool always =
        sites_.any("derivative", {MutationOperator::drop}) == MutationOperator::drop;
    return x > 0 || always ? T(1) : T(0);
  }

  bool computes_by_tanh() {
    const bool other =
        sites_.any("formula of the gate", {MutationOperator::other}) == MutationOperator::other;
    return (activation_ == model::Activation::gelu_tanh) != other;
  }
  static T tanh_argument(T x) {
    return static_cast<T>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
           (x + static_cast<T>(0.044715) * x * x * x);
  }
  T gate(T x) {
    if (computes_by_tanh()) return (1 + adl_tanh(tanh_argument(x))) / 2;
    const T argument = x * static_cast<T>(1 / std::numbers::sqrt2);
    return parts_.a_.style().divide ? adl_erfc(-argument) / 2 : (1 + adl_erf(argument)) / 2;
  }
  T slope(T x) {
    if (computes_by_tanh()) {
      const T t = adl_tanh(tanh_argument(x));
      const T of_argument = static_cast<T>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
                            (1 + 3 * static_cast<T>(0.044715) * x * x);
      return (1 - t * t) * of_argument / 2;
    }
    return adl_exp(-(x * x) / 2) * static_cast<T>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }

  PlainEncoderContext<T>& parts_;
  Sites& sites_;
  model::Activation activation_;
  PlainLinearMap first_, second_;
  Numbers<T> inner_, active_;
};

}  // namespace normproof::verification::golden::plain
