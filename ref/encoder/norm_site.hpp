#pragma once

#include <string>

#include "ref/encoder/parameters.hpp"
#include "ref/encoder/tap.hpp"
#include "ref/norm/norm.hpp"

namespace normproof::ref::encoder {

/// What a norm at one site of a model keeps between forward and backward.
template <class T>
struct NormSite {
  norm::NormInputs<T> inputs;
  norm::NormStep<T> forward;  ///< without y
};

/// Runs the norm of a site and keeps what its backward needs. Inference only reads `state`.
template <numeric::Real T>
Tensor<T> run_norm(const model::NormOptions& norm, const norm::NormParameters<T>& parameters,
                   Tensor<T> x, const Mask& valid, model::Mode mode, const std::string& place,
                   NamedTensors<T>& state, NormSite<T>& site, const Tap<T>& tap);

/// Runs the backward of run_norm and returns grad_x. The gradients of the given parameters are
/// stored in `gradients`.
template <numeric::Real T>
Tensor<T> run_norm_backward(const model::NormOptions& norm, Tensor<T> grad_y,
                            const std::string& place, NamedTensors<T>& state, NormSite<T>& site,
                            norm::NormParameters<T>& gradients, const Tap<T>& tap);

}  // namespace normproof::ref::encoder
