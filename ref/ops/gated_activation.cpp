#include "ref/ops/gated_activation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ref/numeric/parallel.hpp"
#include "ref/ops/generic_elements.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {

using numeric::Clause;
using tensor::check_finite;
using tensor::check_shape;
using tensor::shape_of;

namespace {

constexpr std::size_t kProductGrain = 16384;  // elements per range; does not affect the bits

template <class T>
Tensor<T> product(const Tensor<T>& a, const Tensor<T>& b) {
  Tensor<T> out = tensor::empty_tensor<T>(shape_of(a));
  numeric::parallel_for(a.size(), kProductGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.data()[i] = a.data()[i] * b.data()[i];
  });
  return out;
}

template <class T>
void check_operands(std::string_view function, const Tensor<T>& x, const Tensor<T>& gate) {
  check_shape(function, "gate", shape_of(gate), shape_of(x), Clause::C1);
  check_finite(function, "x", x, Clause::C2);
  check_finite(function, "gate", gate, Clause::C2);
}

/// Returns the product of grad_y and the second factor of y.
template <class T>
Tensor<T> gated_gradient(std::string_view function, const Tensor<T>& grad_y,
                         const Tensor<T>& gate) {
  Tensor<T> gated = product(grad_y, gate);
  check_finite(function, "grad_y gate", gated, Clause::C3);
  return gated;
}

template <class T>
void check_backward_operands(std::string_view function, const Tensor<T>& grad_y, const Tensor<T>& x,
                             const Tensor<T>& gate) {
  check_shape(function, "grad_y", shape_of(grad_y), shape_of(x), Clause::C1);
  check_operands(function, x, gate);
  check_finite(function, "grad_y", grad_y, Clause::C2);
}

void check_swiglu_parameters(std::string_view function, const SwigluParameters& p) {
  const auto fail = [function](const char* name, double value, const char* expectation) {
    numeric::contract_failure(function, name, fmt::format("is {}", value), expectation, Clause::C4);
  };
  if (!(p.limit > 0)) fail("limit", p.limit, "a number > 0");
  if (!(p.alpha > 0 && std::isfinite(p.alpha))) fail("alpha", p.alpha, "a finite number > 0");
  if (!std::isfinite(p.beta)) fail("beta", p.beta, "a finite number");
}

/// Computes out[i] = f(i) for each element of a tensor with the shape of x.
template <class T, class F>
Tensor<T> make_elements(const Tensor<T>& x, F&& f) {
  Tensor<T> out = tensor::empty_tensor<T>(shape_of(x));
  numeric::parallel_for(x.size(), kProductGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.data()[i] = f(i);
  });
  return out;
}

/// Returns `a` if v is above the limit, else `b`.
template <class T>
T select_beyond(const T& v, double limit, const T& a, const T& b) {
  return Elements<T>::select_if_above(v, limit, a, b);
}
/// Returns `beyond` if v is below -limit, else `within`.
template <class T>
T select_below(const T& v, double limit, const T& beyond, const T& within) {
  return select_beyond(T(-v), limit, beyond, within);
}

/// The factors of the y of swiglu, y = activation factor, and the argument of the sigmoid.
template <class T>
struct SwigluFactors {
  Tensor<T> argument, activation, factor;
};

template <class T>
SwigluFactors<T> swiglu_factors(std::string_view function, const Tensor<T>& x,
                                const Tensor<T>& gate, const SwigluParameters& p) {
  const bool is_limited = std::isfinite(p.limit), is_scaled = p.alpha != 1,
             is_shifted = p.beta != 0;
  const T limit(is_limited ? p.limit : 0), alpha(p.alpha), beta(p.beta);
  const Tensor<T> limited = make_elements(x, [&](std::size_t i) {
    return is_limited ? select_beyond(x.data()[i], p.limit, limit, x.data()[i]) : x.data()[i];
  });
  SwigluFactors<T> factors;
  factors.argument = make_elements(x, [&](std::size_t i) {
    return is_scaled ? T(limited.data()[i] * alpha) : limited.data()[i];
  });
  check_finite(function, "alpha x", factors.argument, Clause::C5);
  factors.activation = product(limited, sigmoid(factors.argument));
  factors.factor = make_elements(gate, [&](std::size_t i) {
    T up = gate.data()[i];
    if (is_limited)
      up = select_beyond(up, p.limit, limit, select_below(up, p.limit, T(-limit), up));
    return is_shifted ? T(up + beta) : up;
  });
  return factors;
}

/// Sets the gradients of limited elements to +0.
template <class T>
void drop_gradients_beyond(double limit, const Tensor<T>& x, const Tensor<T>& gate,
                           GatedGradients<T>& gradients) {
  const T zero(0);
  gradients.x = make_elements(x, [&](std::size_t i) {
    return select_beyond(x.data()[i], limit, zero, gradients.x.data()[i]);
  });
  gradients.gate = make_elements(gate, [&](std::size_t i) {
    const T& up = gate.data()[i];
    return select_beyond(up, limit, zero, select_below(up, limit, zero, gradients.gate.data()[i]));
  });
}

}  // namespace

template <numeric::Real T>
Tensor<T> swiglu(const Tensor<T>& x, const Tensor<T>& gate, const SwigluParameters& parameters) {
  check_operands("swiglu", x, gate);
  check_swiglu_parameters("swiglu", parameters);
  if (parameters.are_plain()) return product(silu(x), gate);
  const SwigluFactors<T> factors = swiglu_factors("swiglu", x, gate, parameters);
  return product(factors.activation, factors.factor);
}
template <numeric::Real T>
Tensor<T> geglu(const Tensor<T>& x, const Tensor<T>& gate) {
  check_operands("geglu", x, gate);
  return product(gelu(x), gate);
}

template <numeric::Real T>
GatedGradients<T> swiglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                  const Tensor<T>& gate, const SwigluParameters& parameters) {
  constexpr auto kName = "swiglu_backward";
  check_backward_operands(kName, grad_y, x, gate);
  check_swiglu_parameters(kName, parameters);
  if (parameters.are_plain()) {
    const Tensor<T> gated = gated_gradient(kName, grad_y, gate);
    return {silu_backward(gated, x), product(grad_y, silu(x))};
  }
  const SwigluFactors<T> factors = swiglu_factors(kName, x, gate, parameters);
  const Tensor<T> gated = gated_gradient(kName, grad_y, factors.factor);
  GatedGradients<T> gradients{silu_backward(gated, factors.argument),
                              product(grad_y, factors.activation)};
  if (std::isfinite(parameters.limit)) drop_gradients_beyond(parameters.limit, x, gate, gradients);
  return gradients;
}
template <numeric::Real T>
GatedGradients<T> geglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const Tensor<T>& gate) {
  constexpr auto kName = "geglu_backward";
  check_backward_operands(kName, grad_y, x, gate);
  const Tensor<T> gated = gated_gradient(kName, grad_y, gate);
  return {gelu_backward(gated, x), product(grad_y, gelu(x))};
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template Tensor<T> swiglu(const Tensor<T>&, const Tensor<T>&, const SwigluParameters&);          \
  template Tensor<T> geglu(const Tensor<T>&, const Tensor<T>&);                                    \
  template GatedGradients<T> swiglu_backward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, \
                                             const SwigluParameters&);                             \
  template GatedGradients<T> geglu_backward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
