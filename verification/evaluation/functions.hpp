#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::verification::evaluation {

/// What a function takes.
struct FunctionInputs {
  ref::tensor::NamedTensors<double> tensors;  ///< x, and grad_y or not
  ref::tensor::Mask valid = {};               ///< elements that take part; empty: all
};

/// Computes  y, and grad_x where there is a grad_y, in any scalar: the inputs are exact
/// Requires  (C1) those of the function in ref/ops  (C2) no mask where the function takes none
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_function(const ref::model::FunctionOptions& function,
                                          const FunctionInputs& inputs);

/// softmax and log_sum_exp: some elements may take no part.
bool takes_mask(std::string_view function);

}  // namespace normproof::verification::evaluation
