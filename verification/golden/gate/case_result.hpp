#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/gate/error_ratio_map.hpp"

namespace normproof::verification::golden::gate {

using certify::CaseDescription;

/// The result of comparing one output of a candidate. All metrics are filled in, whether or not
/// they decide the verdict.
struct TensorResult {
  std::string name;
  /// Why the output was not compared: it is absent or has a wrong dtype or shape. Empty if it was
  /// compared.
  std::string problem = {};
  std::string note = {};  ///< a remark that does not affect the verdict, or empty
  std::vector<std::size_t> shape = {};
  std::size_t item_size = 8;  ///< bytes of an element of the candidate's output
  std::size_t count = 0;      ///< number of elements verified, with those that failed
  /// Flat indices (C order) of the elements that failed, in ascending order.
  std::vector<std::size_t> failed = {};
  /// The number of elements whose bound is infinite, so that any value passes.
  std::size_t unjudged = 0;
  /// The number of elements that passed although their bound says nothing: zeros in place of their
  /// row or output would be within the bounds (parts.hpp).
  std::size_t vacuous = 0;
  /// The number of elements that passed and of which the case asks nothing, because zeros would be
  /// within the bounds of any correct implementation.
  std::size_t unasked = 0;
  /// The smallest relative error that would have been found in every verified element: the smallest
  /// bound divided by the magnitude of the exact value. Infinite if no exact value differs from 0.
  double smallest_found_error = std::numeric_limits<double>::infinity();
  double ratio = 0;  ///< the largest |got - exact| / bound; at most 1 if the output passes
  double max_absolute = 0;
  /// The number of elements for which relative errors and ulps are meaningful. An element that
  /// passes counts if its bound is at most |exact| times the square root of the unit roundoff. An
  /// element that fails counts if |exact| exceeds the bound. An element that is only the rounding
  /// noise of a cancellation is therefore not counted.
  std::size_t elements_with_digits = 0;
  /// The largest relative error and the largest error in ulps of the dtype, over the elements
  /// counted by `elements_with_digits`.
  double max_relative = 0, max_ulp = 0;
  /// The largest |got - exact| divided by the largest |exact| of the output. Only the elements that
  /// `elements_with_digits` counts are included in the first maximum.
  double norm_wise = 0;
  std::string where = {};  ///< index of the element with the largest ratio, such as "[2, 3]"
  double got = 0, exact = 0, bound = 0;  ///< the values at the element `where`
  /// The error that one rounding of the inputs causes at the element with the largest ratio of
  /// error to bound, divided by the bound of this element. A value close to 1 means that the inputs
  /// do not allow a tighter bound.
  double input_sensitivity = 0;
  /// A picture of the ratios of error to bound of the output. It is filled in if the output failed
  /// and CheckOptions::maps is set.
  ErrorRatioMap map = {};

  bool passed() const { return problem.empty() && failed.empty(); }
  /// Returns the number of elements that passed although nothing was verified.
  std::size_t unverified() const { return unjudged + vacuous; }
};

/// One explanation of why outputs failed.
struct Diagnosis {
  enum class Kind {
    option,   ///< the outputs are right for another option; `what` is "name=value"
    answer,   ///< the values need no formula to be recognized, such as zeros or an input
    mistake,  ///< a known wrong formula gives the same values
    bound,    ///< the output is within the error bound of a less accurate arithmetic or formula
    place     ///< no explanation is known; `what` describes which elements are wrong
  };

  std::string what;  ///< the explanation, such as "eps: outside the root"
  Kind kind = Kind::mistake;
  double ulps = 0;  ///< distance to the wrong formula's values, in ulps of the largest element
  std::vector<std::string> outputs = {};  ///< the outputs that agree; empty for an arithmetic
  /// Whether every element of `outputs` has a finite error bound under the formula of this
  /// explanation. The member matters only if the explanation is a less accurate formula.
  bool bounded = true;
  /// The largest error divided by the bound of the less accurate arithmetic or formula; 0 if
  /// this is not known.
  double share = 0;

  std::string sentence() const;
};

struct CaseResult {
  CaseDescription description;
  /// One sentence that says why no output was compared, or why the candidate declined the case.
  /// Empty if there is no such reason.
  std::string problem = {};
  std::vector<TensorResult> tensors = {};
  std::vector<Diagnosis> diagnosis = {};  ///< explanations of the failure, the closest first
  /// Whether the candidate declined the case as unsupported. Such a case does not count as passed.
  bool declined = false;

  bool passed() const;
};

/// Returns the names of the outputs that were compared, or that were required. A further check of
/// the same answer requires only these outputs, so that it reports no other output as absent.
std::vector<std::string> output_names(const CaseResult& result);

/// Whether every output passes and no element has an infinite bound.
bool passes_fully_judged(const CaseResult& result);

}  // namespace normproof::verification::golden::gate
