#pragma once

#include "gpu/device/span.hpp"
#include "ref/numeric/elementary_rounded.hpp"

/// The functions exp, log, tanh and erf for kernels. They compile the same source code as the
/// processor version, with its fast and its accurate phase. A kernel can therefore round every
/// element correctly without the host (docs/specification/determinism.md, R5).
namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

NORMPROOF_DEVICE inline double evaluate_exp(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Exp>(x);
}
NORMPROOF_DEVICE inline double evaluate_log(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Log>(x);
}
NORMPROOF_DEVICE inline double evaluate_tanh(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Tanh>(x);
}
NORMPROOF_DEVICE inline double evaluate_erf(double x) {
  return ref::numeric::evaluate_rounded<ref::numeric::Erf>(x);
}

enum class Function { exp, log, tanh, erf };

/// Applies an elementary function to each element: y = function(x).
template <Function function>
struct Elementary {
  ConstReals x;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    if constexpr (function == Function::exp) y[i] = evaluate_exp(x[i]);
    if constexpr (function == Function::log) y[i] = evaluate_log(x[i]);
    if constexpr (function == Function::tanh) y[i] = evaluate_tanh(x[i]);
    if constexpr (function == Function::erf) y[i] = evaluate_erf(x[i]);
  }
};

}  // namespace normproof::gpu::ops
