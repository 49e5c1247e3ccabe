#include "ref/ops/gated_activation.hpp"

#include <fmt/format.h>

#include "ref/numeric/parallel.hpp"
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

/// Returns the product `grad_y gate`, after checking the arguments.
template <class T>
Tensor<T> gated_gradient(std::string_view function, const Tensor<T>& grad_y, const Tensor<T>& x,
                         const Tensor<T>& gate) {
  check_shape(function, "grad_y", shape_of(grad_y), shape_of(x), Clause::C1);
  check_operands(function, x, gate);
  check_finite(function, "grad_y", grad_y, Clause::C2);
  Tensor<T> gated = product(grad_y, gate);
  check_finite(function, "grad_y gate", gated, Clause::C3);
  return gated;
}

}  // namespace

template <numeric::Real T>
Tensor<T> swiglu(const Tensor<T>& x, const Tensor<T>& gate) {
  check_operands("swiglu", x, gate);
  return product(silu(x), gate);
}
template <numeric::Real T>
Tensor<T> geglu(const Tensor<T>& x, const Tensor<T>& gate) {
  check_operands("geglu", x, gate);
  return product(gelu(x), gate);
}

template <numeric::Real T>
GatedGradients<T> swiglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                  const Tensor<T>& gate) {
  const Tensor<T> gated = gated_gradient("swiglu_backward", grad_y, x, gate);
  return {silu_backward(gated, x), product(grad_y, silu(x))};
}
template <numeric::Real T>
GatedGradients<T> geglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const Tensor<T>& gate) {
  const Tensor<T> gated = gated_gradient("geglu_backward", grad_y, x, gate);
  return {gelu_backward(gated, x), product(grad_y, gelu(x))};
}

#define NORMPROOF_INSTANTIATE(T)                                                 \
  template Tensor<T> swiglu(const Tensor<T>&, const Tensor<T>&);                 \
  template Tensor<T> geglu(const Tensor<T>&, const Tensor<T>&);                  \
  template GatedGradients<T> swiglu_backward(const Tensor<T>&, const Tensor<T>&, \
                                             const Tensor<T>&);                  \
  template GatedGradients<T> geglu_backward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
