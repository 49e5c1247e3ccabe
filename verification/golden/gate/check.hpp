#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/gate/case_result.hpp"
#include "verification/golden/tolerance/cross_entropy_allowances.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

using certify::StoredCase;
using corpus::Accumulation;
using corpus::Case;
using ref::io::DType;
using ref::io::StoredTensor;

struct CheckOptions {
  /// The names of the required outputs. All other outputs are ignored. If the list is empty, y, the
  /// gradients and the state are required. In this case, statistics are compared if the candidate
  /// returns them.
  std::vector<std::string> outputs = {};
  /// The accumulation format that the candidate declares. The default is usual_accumulation.
  std::optional<Accumulation> accumulation = {};
  /// The variance formula that the candidate declares.
  tolerance::Formula formula = tolerance::Formula::two_pass;
  /// The order of casts that the candidate declares, if it is a norm.
  tolerance::CastOrder cast_order = tolerance::CastOrder::after_gamma;
  /// The dtype in which the candidate returns the loss of 16-bit logits, if it is cross_entropy.
  tolerance::LossDtype loss_dtype = tolerance::LossDtype::wide;
  /// How the candidate rounds the scales of the blocks of an output in 8 bits.
  corpus::ScaleRounding scale_rounding = corpus::ScaleRounding::floor;
  bool flush_subnormals = false;  ///< whether the candidate may flush subnormal numbers to 0
  bool maps = false;              ///< whether to make an ErrorRatioMap of each failed output
  bool skip_diagnosis = false;    ///< whether failures get no explanation (diagnose.hpp)
};

/// Returns the error bounds of a case under these options.
tolerance::Tolerance tolerance_for_options(const Case& c, const CheckOptions& options,
                                           const tolerance::BlockOptions& blocks = {});
/// Overload for a case whose rows may have been drawn from another one (StoredCase::all_rows). The
/// bound of a sum over all rows includes the radius of its enclosure. Its input sensitivity is 0.
tolerance::Tolerance tolerance_for_options(const StoredCase& stored, const CheckOptions& options,
                                           const tolerance::BlockOptions& blocks = {});

/// Whether the case fails if the candidate does not return this output.
bool is_required(const StoredCase& stored, const std::string& output, const CheckOptions& options);

/// Returns |error| / bound for each element of an output, in C order. The ratio is infinite if the
/// bound is 0 and the error is not 0. It is also infinite if the output is not finite although a
/// finite number is expected. It is NaN if the bound is infinite.
/// Requires  the case expects an output of that name, and `answer` contains it with the expected
///           shape
std::vector<double> error_to_bound_ratios(const StoredCase& stored,
                                          const std::vector<StoredTensor>& answer,
                                          const std::string& output,
                                          const tolerance::Tolerance& bounds);

/// Compares a candidate's outputs for one case with the expected values.
CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options);
/// Overload that takes the error bounds of the case instead of deriving them, for callers that
/// check many outputs of one case.
CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options, const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
