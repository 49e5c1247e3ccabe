#pragma once

#include "ref/model/norm_inputs.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::Accumulation;
using corpus::Case;

/// Widens the bounds of a layer for correct implementations that follow other conventions: running
/// statistics that an adapter converts, and a beta that is added after y was stored.
///
/// Source    docs/error_analysis.md, section 8
/// Requires  c is of a layer; inputs are those of a step; values and bound hold its outputs, with
///           values computed in `double`
void add_layer_allowances(const Case& c, const ref::model::NormInputs<double>& inputs,
                          const ref::tensor::NamedTensors<double>& values,
                          Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
