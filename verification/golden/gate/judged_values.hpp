#pragma once

#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

/// The values and bounds against which an output is judged, in the units in which it is stored.
struct JudgedValues {
  std::vector<double> high, low;  ///< the exact value is high + low; NaN if it is not finite
  /// Including the rounding to the dtype of the candidate's output.
  std::vector<double> bound;
  std::vector<double> input_sensitivity;  ///< Tolerance::input_sensitivity; 0 for scales
};

/// Computes  the exact values in units of the candidate's block scales, if the output has blocks. A
///           value beyond the range of an 8-bit format becomes its largest number. The bound of a
///           block's scale admits every scale that the convention gives for a number within the
///           bound of the block's largest element, which is a single scale as a rule; if every
///           element may be 0, any finite scale passes
/// Requires  the case expects an output of that name, and the answer contains it with the expected
///           shape
JudgedValues judged_values(const certify::StoredCase& stored,
                           const std::vector<ref::io::StoredTensor>& answer,
                           const std::string& name, const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
