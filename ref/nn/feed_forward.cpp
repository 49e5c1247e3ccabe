#include "ref/nn/feed_forward.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "ref/numeric/error_tape.hpp"
#include "ref/ops/activation.hpp"
#include "ref/ops/gelu_tanh_cancellation.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {
namespace {

using model::Activation;
using numeric::any_order_error;

/// Returns a result that implementations of another formula may compute with an additional error.
[[maybe_unused]] any_order_error with_error(const any_order_error& x, double error) {
  if (error == 0) return x;
  numeric::ErrorTape* const tape = numeric::ErrorTape::current();
  const numeric::ErrorTape::Reference operand =
      tape == nullptr ? numeric::ErrorTape::Reference() : tape->operand(x);
  const double total = (x.error + error) * (1 + 0x1p-45);
  const any_order_error result(x.value,
                               std::isnan(total) ? std::numeric_limits<double>::infinity() : total);
  return tape == nullptr ? result : tape->record_function(result, operand, {1}, error);
}

/// Returns an upper bound of the magnitude that an implementation computes.
[[maybe_unused]] double largest_magnitude(const any_order_error& x) {
  return std::fabs(x.value) + 2 * x.error;
}

/// Widens the error bounds of gelu_tanh for its published formula, in which 1 + tanh cancels. Does
/// nothing for scalars without bounds for other implementations.
template <class T>
Tensor<T> allow_cancellation(Tensor<T> y, const Tensor<T>& x) {
  if constexpr (std::is_same_v<T, any_order_error>) {
    const double u = numeric::AnyOrderArithmetic::current().unit_roundoff;
    for (std::size_t i = 0; i < y.size(); ++i)
      y.data()[i] =
          with_error(y.data()[i], ops::gelu_tanh_cancellation(u, largest_magnitude(x.data()[i])));
  }
  return y;
}

/// Does the same for the gradient.
template <class T>
Tensor<T> allow_cancellation(Tensor<T> grad_x, const Tensor<T>& x, const Tensor<T>& grad_y) {
  if constexpr (std::is_same_v<T, any_order_error>) {
    const double u = numeric::AnyOrderArithmetic::current().unit_roundoff;
    for (std::size_t i = 0; i < grad_x.size(); ++i)
      grad_x.data()[i] = with_error(grad_x.data()[i], ops::gelu_tanh_backward_cancellation(
                                                          u, largest_magnitude(x.data()[i]),
                                                          largest_magnitude(grad_y.data()[i])));
  }
  return grad_x;
}

template <class T>
Tensor<T> activate(const Tensor<T>& x, Activation activation, Tensor<T>& erf) {
  switch (activation) {
    case Activation::relu:
      return ops::relu(x);
    case Activation::gelu:
      return ops::gelu_keeping_erf(x, erf);
    case Activation::gelu_tanh:
      return allow_cancellation(ops::gelu_tanh(x), x);
  }
  numeric::contract_failure("feed_forward", "activation", "is no enumerator", "an Activation");
}

template <class T>
Tensor<T> activate_backward(const Tensor<T>& grad_y, const FeedForwardSaved<T>& saved,
                            Activation activation) {
  const Tensor<T>& x = saved.inner;
  switch (activation) {
    case Activation::relu:
      return ops::relu_backward(grad_y, x);
    case Activation::gelu:
      return ops::gelu_backward_from_erf(grad_y, x, saved.erf);
    case Activation::gelu_tanh:
      return allow_cancellation(ops::gelu_tanh_backward(grad_y, x), x, grad_y);
  }
  numeric::contract_failure("feed_forward", "activation", "is no enumerator", "an Activation");
}

}  // namespace

template <numeric::Real T>
FeedForwardForward<T> feed_forward(const Tensor<T>& x, const FeedForward<T>& parameters,
                                   const FeedForwardOptions& options) {
  FeedForwardForward<T> result;
  FeedForwardSaved<T>& saved = result.saved;
  saved.inner = linear(x, parameters.first);
  saved.active = activate(saved.inner, options.activation, saved.erf);
  if (options.dropout > 0) {
    saved.keep = dropout_mask(tensor::shape_of(saved.active), options.dropout, options.key);
    dropout_in_place(saved.active, saved.keep, options.dropout);
  }
  result.y = linear(saved.active, parameters.second);
  return result;
}

template <numeric::Real T>
FeedForwardGradients<T> feed_forward_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                              const FeedForward<T>& parameters,
                                              const FeedForwardSaved<T>& saved,
                                              const FeedForwardOptions& options) {
  LinearGradients<T> second = linear_backward(grad_y, saved.active, parameters.second);
  if (options.dropout > 0) dropout_in_place(second.grad_x, saved.keep, options.dropout);
  LinearGradients<T> first = linear_backward(
      activate_backward(second.grad_x, saved, options.activation), x, parameters.first);
  return {std::move(first.grad_x), {std::move(first.parameters), std::move(second.parameters)}};
}

#define NORMPROOF_INSTANTIATE(T)                                                             \
  template FeedForwardForward<T> feed_forward(const Tensor<T>&, const FeedForward<T>&,       \
                                              const FeedForwardOptions&);                    \
  template FeedForwardGradients<T> feed_forward_backward(                                    \
      const Tensor<T>&, const Tensor<T>&, const FeedForward<T>&, const FeedForwardSaved<T>&, \
      const FeedForwardOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
