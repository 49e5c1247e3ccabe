#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "verification/checks/oracle/scalar.hpp"

namespace normproof::verification::checks::oracle {

using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

/// The inputs of the definition with respect to which it is differentiated: x and all parameters of
/// the layer. If the layer has no gamma and beta, they are tensors [D] of ones and zeros.
template <class S>
struct Arguments {
  Tensor<S> x;  ///< [N,D] or [B,T,D]
  Tensor<S> gamma;
  Tensor<S> beta;
  NamedTensors<S> others = {};  ///< parameters other than gamma and beta, by name
};

template <class S>
struct Evaluation {
  Tensor<S> y;
  Tensor<S> x_hat;
  NamedTensors<oracle100> statistics;  ///< under the names and in the order of ref's records
  NamedTensors<oracle100> state;       ///< after the forward
};

/// Evaluates the forward of any layer of docs/specification/norms.md from its mathematical
/// definition. Sums are plain sums, and a variance is the mean of squared deviations. No code of
/// ref/ops or ref/norm is used. The derivative treats r and d of batch renormalization and all
/// running quantities as constants.
/// Requires  shapes as in complete_arguments and step; the preconditions of partition; (C2)
///           statistic + eps > 0 everywhere  (C8) two valid rows for an unbiased variance  (C12)
///           storage is float64
/// Throws    ContractError
template <class S>
Evaluation<S> evaluate(const ref::model::NormOptions& options, const Arguments<S>& arguments,
                       const Mask& valid, ref::model::Mode mode,
                       const NamedTensors<oracle100>& state);

}  // namespace normproof::verification::checks::oracle
