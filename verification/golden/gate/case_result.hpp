#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/gate/share_map.hpp"

namespace normproof::verification::golden::gate {

using certify::CaseDescription;

/// The result for one output of a candidate. Every metric is filled in, whichever of them decides.
struct TensorResult {
  std::string name;
  /// Why nothing was compared: absent, wrong dtype or wrong shape.
  std::string problem = {};
  std::string note = {};  ///< a remark that does not affect the verdict, or empty
  std::vector<std::size_t> shape = {};
  std::size_t count = 0;  ///< elements compared
  /// Flat indices (C order) of the elements that failed, ascending.
  std::vector<std::size_t> failed = {};
  std::size_t unjudged = 0;  ///< elements with an infinite bound
  double ratio = 0;          ///< largest |got - exact| / bound; at most 1 if it passes
  double max_absolute = 0;
  /// Elements with meaningful digits. If an element is within its bound, the bound must fix at
  /// least half of the digits of the dtype; if it fails, its magnitude must exceed the bound.
  /// Elements that cancel to noise are left out, because they have no meaningful unit in the last
  /// place.
  std::size_t elements_with_digits = 0;
  /// The largest errors of these elements, relative and in ulps of the dtype.
  double max_relative = 0, max_ulp = 0;
  /// The largest |got - exact| over the elements counted by `elements_with_digits`, divided by the largest
  /// |exact| of the output.
  double norm_wise = 0;
  std::string where = {};                ///< index of the element with the largest ratio: "[2, 3]"
  double got = 0, exact = 0, bound = 0;  ///< the values at that element
  /// At that element: the error caused by one rounding of the inputs, divided by the bound. If it
  /// is close to 1, the inputs do not allow a tighter bound.
  double input_sensitivity = 0;
  ErrorRatioMap map = {};  ///< the map of a failed output, if CheckOptions::maps is set

  bool passed() const { return problem.empty() && failed.empty(); }
};

/// An explanation of a failing output.
struct Diagnosis {
  enum class Kind {
    mistake,  ///< a wrong formula that gives the same values
    bound,    ///< an arithmetic or class of formulas whose bound the output meets
    place     ///< no known explanation: `what` says where the errors lie
  };

  std::string what;  ///< "eps: outside the root"
  Kind kind = Kind::mistake;
  double ulps = 0;  ///< the distance from a mistake, in ulps of the largest element
  std::vector<std::string> outputs = {};  ///< the outputs that agree; empty for an arithmetic
  /// Whether each element of these outputs has a finite bound in that class.
  bool bounded = true;

  std::string sentence() const;
};

struct CaseResult {
  CaseDescription description;
  /// Why no output was compared, or why the candidate declined; a sentence.
  std::string problem = {};
  std::vector<TensorResult> tensors = {};
  std::vector<Diagnosis> diagnosis = {};  ///< the closest explanation first
  /// Whether the candidate does not support the case. Such a case does not count as passed.
  bool declined = false;

  bool passed() const;
};

}  // namespace normproof::verification::golden::gate
