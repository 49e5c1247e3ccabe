#pragma once

#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

/// The exact values and error bounds of one output, in the units in which the output is stored.
struct JudgedValues {
  /// The exact value of each element is high + low. NaN means that the exact value is not finite.
  std::vector<double> high, low;
  /// The error bound of each element. It includes the rounding to the dtype of the candidate's
  /// output.
  std::vector<double> bound;
  std::vector<double> input_sensitivity;  ///< Tolerance::input_sensitivity; 0 for block scales
};

/// A range of elements of an output, in C order.
struct ElementRange {
  std::size_t begin, end;
};

/// Returns the values and bounds with which an output of a candidate is compared.
///
/// Computes  exact values in units of the candidate's block scales, if the output has block scales.
///           A value beyond the range of an 8-bit format is replaced by the largest number of that
///           format. The scale of a block follows by convention from its largest magnitude. That
///           magnitude may be off by its error bound, and the bound of the scale admits every scale
///           that follows from such a magnitude. As a rule this is a single scale. If every element
///           of the block may be 0, any finite scale passes
/// Requires  the case expects an output of that name, and `answer` contains it with the expected
///           shape
JudgedValues compute_judged_values(const certify::StoredCase& stored,
                                   const std::vector<ref::io::StoredTensor>& answer,
                                   const std::string& name, const tolerance::Tolerance& bounds);
/// Overload for some elements of an output. An output with scales is judged as a whole.
JudgedValues compute_judged_values(const certify::StoredCase& stored,
                                   const std::vector<ref::io::StoredTensor>& answer,
                                   const std::string& name, const tolerance::Tolerance& bounds,
                                   ElementRange range);
/// Whether the elements of an output can be judged in several ranges.
bool is_judged_in_ranges(const certify::StoredCase& stored, const std::string& name);

/// Returns the elements of a tensor that are in a range, as numbers.
std::vector<double> widen_range(const ref::io::StoredTensor& tensor, ElementRange range);

}  // namespace normproof::verification::golden::gate
