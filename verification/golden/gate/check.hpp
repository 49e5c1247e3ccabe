#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/gate/share_map.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::gate {

using corpus::Accumulation;
using corpus::Case;
using ref::io::DType;

using certify::CaseDescription;
using certify::StoredCase;
using ref::io::StoredTensor;

/// The result for one output of a candidate. Every metric is filled in, whichever of them decides.
struct TensorResult {
  std::string name;
  std::string problem;  ///< why nothing was compared: absent, wrong dtype or wrong shape
  std::string note;     ///< a remark that does not affect the verdict, or empty
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
  /// The largest |got - exact| over the elements counted by `elements_with_digits`, divided by the
  /// largest
  /// |exact| of the output.
  double norm_wise = 0;
  std::string where;                     ///< index of the element with the largest ratio: "[2, 3]"
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
  std::string problem;  ///< why no output was compared, or why the candidate declined; a sentence
  std::vector<TensorResult> tensors;
  std::vector<Diagnosis> diagnosis;  ///< the closest explanation first
  /// Whether the candidate does not support the case. Such a case does not count as passed.
  bool declined = false;

  bool passed() const;
};

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

/// The tensors that a candidate returns for a case, or nothing if it declines a case that it does
/// not support.
struct CandidateOutput : std::optional<std::vector<StoredTensor>> {
  using std::optional<std::vector<StoredTensor>>::optional;
  std::string reason = {};  ///< the candidate's reason for declining, if it gives one
};

/// Obtains a candidate's output for a case.
/// Throws    FileError, one sentence: the reason why the case fails
using Candidate = std::function<CandidateOutput(const StoredCase& stored)>;

/// Reads outputs from <folder>/<path of the case>/expected.safetensors or .npz, named as in the
/// corpus.
Candidate from_folder(const std::filesystem::path& folder);

/// A program is given up after this many consecutive starts in which it prints no line. Starts that
/// end by a signal count less (from_program).
inline constexpr int kMaxRestarts = 3;

/// Runs `command` as the candidate (docs/guide/formats.md, Golden) and restarts it when it ends.
/// The program is given up after `max_restarts` consecutive starts that exit or hang without
/// printing a line. If signals end them, the limit is 8 times as high, plus one for each case that
/// it has answered. When the candidate is no longer needed, `complained` is called with the last 64
/// KiB of its standard error, if there is any; `complained` must not throw.
Candidate from_program(const std::string& command, double seconds, int max_restarts = kMaxRestarts,
                       std::function<void(const std::string& last)> complained = {});

/// Reads each case, obtains the candidate's output for it and checks that output.
/// Requires  jobs is 1 unless `query` can be called concurrently; each of options.outputs is
///           expected in at least one of the cases
/// Throws    UsageError if an output is expected in none; FileError if the corpus itself is damaged
std::vector<CaseResult> check_cases(const std::filesystem::path& golden,
                                    const std::vector<CaseDescription>& cases,
                                    const Candidate& query, const CheckOptions& options, int jobs,
                                    const std::function<void(std::size_t done)>& finished);

/// Runs check_case, and diagnose if the case fails. An int64 that no double can hold fails the
/// case.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options);
/// Overload for a tolerance that is already computed.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds);

/// Requires  each of the outputs is expected in at least one of the cases
/// Throws    UsageError with the nearest known name
void check_outputs_known(const std::vector<CaseDescription>& cases,
                         const std::vector<std::string>& outputs);

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
