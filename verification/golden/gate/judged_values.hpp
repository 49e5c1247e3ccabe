#pragma once

#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

using corpus::Case;
using ref::io::DType;
using ref::io::StoredTensor;

/// What each element of an answer's output is held against, in the units that it is stored in.
struct JudgedValues {
  std::vector<double> high, low;      ///< the exact value is high + low; NaN where none is finite
  std::vector<double> bound;          ///< with the rounding to the dtype of the answer
  std::vector<double> of_the_inputs;  ///< tolerance::Tolerance::of_the_inputs; 0 of scales
};

/// Computes  the exact values by the scales that the answer gives, where it has blocks, and the
///           largest number of a format of 8 bits for what is beyond it. Of the scale of a block, a
///           bound that takes those which the convention gives for some number within the bound of
///           its largest element, so but one scale as a rule; any finite one where all may be 0
/// Requires  the case expects an output of that name, and the answer has one of its shape
JudgedValues judged_values(const certify::StoredCase& stored,
                           const std::vector<ref::io::StoredTensor>& answer,
                           const std::string& name, const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
