#include "ref/nn/feed_forward.hpp"

#include "ref/ops/activation.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {
namespace {

using model::Activation;

template <class T>
Tensor<T> activate(const Tensor<T>& x, Activation activation, Tensor<T>& erf) {
  switch (activation) {
    case Activation::relu:
      return ops::relu(x);
    case Activation::gelu:
      return ops::gelu_keeping_erf(x, erf);
    case Activation::gelu_tanh:
      return ops::gelu_tanh(x);
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
      return ops::gelu_tanh_backward(grad_y, x);
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
