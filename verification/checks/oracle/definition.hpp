#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "verification/checks/oracle/scalar.hpp"

namespace normproof::verification::checks::oracle {

using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

/// What the derivative is taken with respect to. The layer's parameters are written out; gamma and
/// beta are there, [D] of 1 and of 0, where it has none.
template <class S>
struct Arguments {
  Tensor<S> x;  ///< [N,D] or [B,T,D]
  Tensor<S> gamma;
  Tensor<S> beta;
  NamedTensors<S> others = {};  ///< parameters beside gamma and beta, by name
};

template <class S>
struct Evaluation {
  Tensor<S> y;
  Tensor<S> x_hat;
  NamedTensors<oracle100> statistics;  ///< under the names of ref's records, in their order
  NamedTensors<oracle100> state;       ///< after the forward
};

/// The forward of every layer of docs/specification/norms.md, from its mathematical definition:
/// sums are plain sums, a variance is the mean of squared deviations. Nothing of ref/ops or
/// ref/norm is used. r and d of batch renormalisation and all running quantities are constants, not
/// variables.
/// Requires  shapes as written_out and step have them; those of partition; (C2) statistic + eps > 0
///           everywhere  (C8) two valid rows for an unbiased variance  (C12) storage is float64
/// Throws    ContractError
template <class S>
Evaluation<S> evaluate(const ref::model::NormOptions& options, const Arguments<S>& arguments,
                       const Mask& valid, ref::model::Mode mode,
                       const NamedTensors<oracle100>& state);

}  // namespace normproof::verification::checks::oracle
