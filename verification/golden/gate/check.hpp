#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/gate/case_result.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

using certify::StoredCase;
using corpus::Accumulation;
using corpus::Case;
using ref::io::DType;
using ref::io::StoredTensor;

struct CheckOptions {
  /// The required outputs. If empty, y, the gradients and the state are required, and statistics
  /// are compared if they are present.
  std::vector<std::string> outputs = {};
  std::optional<Accumulation> accumulation = {};  ///< default: usual_accumulation
  tolerance::Formula formula =
      tolerance::Formula::two_pass;  ///< the declared formula of the variance
  bool flush_subnormals = false;     ///< whether subnormal numbers may be flushed to 0
  bool maps = false;                 ///< whether each failed output gets a map
};

/// Returns the tolerance of a case under these options.
tolerance::Tolerance tolerance_for_options(const Case& c, const CheckOptions& options);

/// Whether the case fails if this output is absent.
bool is_required(const StoredCase& stored, const std::string& output, const CheckOptions& options);

/// Returns |error| / bound of each element of an output, in C order. It is infinite if the bound is
/// 0 and the error is not, or if a finite number is expected and the output is not finite; it is
/// NaN if the element is not judged.
/// Requires  the case expects an output of that name and shape, and the answer contains it
std::vector<double> error_to_bound_ratios(const StoredCase& stored,
                                          const std::vector<StoredTensor>& answer,
                                          const std::string& output,
                                          const tolerance::Tolerance& bounds);

/// Checks a candidate's output for one case against the expected values.
CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options);
/// Overload for a tolerance that is already computed, for checking many outputs of one case.
CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options, const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
