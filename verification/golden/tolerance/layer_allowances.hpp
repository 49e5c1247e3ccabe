#pragma once

#include "ref/model/norm_inputs.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::Accumulation;
using corpus::Case;

/// Widens the error bounds of a layer for correct implementations that follow other conventions:
/// running statistics that an adapter converts, and a beta that is added after y was stored.
///
/// Source    docs/error_analysis.md, section 8
/// Requires  the operation of c is a layer; `inputs` are the inputs of one step; `values` are the
///           outputs of this step in `double`; `bound` contains the bounds of these outputs
void add_layer_allowances(const Case& c, const ref::model::NormInputs<double>& inputs,
                          const ref::tensor::NamedTensors<double>& values,
                          Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
