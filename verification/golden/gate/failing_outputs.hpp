#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// The remainder that with_storage_rounding receives with the value of a wrong formula. A remainder
/// other than 0 says that the dtype cannot represent this value exactly.
inline constexpr double kNonzeroRemainder = std::numeric_limits<double>::denorm_min();

/// An output that was compared, with everything that a diagnosis compares with other
/// implementations.
struct FailingOutput {
  std::string name;
  DType dtype;
  std::vector<std::size_t> shape;
  std::vector<std::size_t>
      failed;  ///< flat indices of the elements that failed, in ascending order; empty if it passed
  /// The candidate's values, the exact values, and the error bounds of the correct formula.
  std::vector<double> got, exact, bound;
  double unit;  ///< unit roundoff of the dtype
};

/// Returns the outputs that were compared and failed.
/// Requires  `answer` contains each output that was compared; `bounds` are the bounds of the case
///           in its usual arithmetic
std::vector<FailingOutput> failing_outputs(const StoredCase& stored,
                                           const std::vector<StoredTensor>& answer,
                                           const CaseResult& result,
                                           const tolerance::Tolerance& bounds);
/// Returns the outputs that passed, under the same conditions.
std::vector<FailingOutput> passing_outputs(const StoredCase& stored,
                                           const std::vector<StoredTensor>& answer,
                                           const CaseResult& result,
                                           const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
