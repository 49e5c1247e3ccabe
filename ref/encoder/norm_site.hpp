#pragma once

#include <string>

#include "ref/encoder/parameters.hpp"
#include "ref/encoder/tap.hpp"
#include "ref/norm/norm.hpp"

namespace normproof::ref::encoder {

/// The data that one norm of a model saves in its forward for its backward.
template <class T>
struct NamedNorm {
  norm::NormInputs<T> inputs;
  norm::NormStep<T> forward;  ///< the outputs of the forward, without y
};

/// Runs the forward of one norm of a model, and saves in `site` what its backward needs. `place` is
/// the name of the norm in the model. In inference `state` is only read.
template <numeric::Real T>
Tensor<T> run_norm(const model::NormOptions& norm, const norm::NormParameters<T>& parameters,
                   Tensor<T> x, const Mask& valid, model::Mode mode, const std::string& place,
                   NamedTensors<T>& state, NamedNorm<T>& site, const TensorTap<T>& tap);

/// Runs the backward of a norm whose forward was run by run_norm. Returns grad_x, and stores the
/// gradients of the norm's parameters in `gradients`.
template <numeric::Real T>
Tensor<T> run_norm_backward(const model::NormOptions& norm, Tensor<T> grad_y,
                            const std::string& place, NamedTensors<T>& state, NamedNorm<T>& site,
                            norm::NormParameters<T>& gradients, const TensorTap<T>& tap);

}  // namespace normproof::ref::encoder
