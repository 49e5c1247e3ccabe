#pragma once

#include <string>

#include "ref/encoder/parameters.hpp"
#include "ref/encoder/tap.hpp"
#include "ref/norm/norm.hpp"

namespace normproof::ref::encoder {

/// A norm in its place, between forward and backward.
template <class T>
struct NormSite {
  norm::NormInputs<T> inputs;
  norm::NormStep<T> forward;  ///< without y
};

/// Runs a norm at its place, and keeps what its backward needs. In inference `state` is read alone.
template <numeric::Real T>
Tensor<T> run_norm(const model::NormOptions& norm, const norm::NormParameters<T>& parameters,
                   Tensor<T> x, const Mask& valid, model::Mode mode, const std::string& place,
                   NamedTensors<T>& state, NormSite<T>& site, const Tap<T>& tap);

/// The backward of run_norm: grad_x; gradients gets those by the parameters that are given.
template <numeric::Real T>
Tensor<T> run_norm_backward(const model::NormOptions& norm, Tensor<T> grad_y,
                            const std::string& place, NamedTensors<T>& state, NormSite<T>& site,
                            norm::NormParameters<T>& gradients, const Tap<T>& tap);

}  // namespace normproof::ref::encoder
