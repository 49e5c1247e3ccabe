#pragma once

#include "gpu/device/span.hpp"
#include "ref/numeric/elementary_rounded.hpp"

/// The functions exp, log, tanh and erf for kernels. They compile the same source code as the
/// processor version, with its fast and its accurate phase. A kernel can therefore round every
/// element correctly without the host (docs/specification/determinism.md, R5).
namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

NORMPROOF_DEVICE inline double exp_of(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Exp>(x);
}
NORMPROOF_DEVICE inline double log_of(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Log>(x);
}
NORMPROOF_DEVICE inline double tanh_of(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Tanh>(x);
}
NORMPROOF_DEVICE inline double erf_of(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Erf>(x);
}

enum class Function { exp, log, tanh, erf };

/// Applies an elementary function to each element: y = function(x).
template <Function function>
struct Elementary {
  ConstReals x;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    if constexpr (function == Function::exp) y[i] = exp_of(x[i]);
    if constexpr (function == Function::log) y[i] = log_of(x[i]);
    if constexpr (function == Function::tanh) y[i] = tanh_of(x[i]);
    if constexpr (function == Function::erf) y[i] = erf_of(x[i]);
  }
};

}  // namespace normproof::gpu::ops
