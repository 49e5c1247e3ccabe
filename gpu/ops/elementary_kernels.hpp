#pragma once

#include "gpu/device/span.hpp"
#include "ref/numeric/elementary_rounded.hpp"

/// exp, log, tanh and erf in a kernel. They use the source code of the processor version, with its
/// fast and its accurate phase, so that a kernel can round every element by itself
/// (docs/specification/determinism.md, R5).
namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

NORMPROOF_DEVICE inline double exp_of(double x) {
  return ref::numeric::of<ref::numeric::Exp>(x);
}
NORMPROOF_DEVICE inline double log_of(double x) {
  return ref::numeric::of<ref::numeric::Log>(x);
}
NORMPROOF_DEVICE inline double tanh_of(double x) {
  return ref::numeric::of<ref::numeric::Tanh>(x);
}
NORMPROOF_DEVICE inline double erf_of(double x) {
  return ref::numeric::of<ref::numeric::Erf>(x);
}

enum class Function { exp, log, tanh, erf };

/// Computes y = f(x).
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
