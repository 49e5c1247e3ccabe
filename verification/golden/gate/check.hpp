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

/// What became of one output of a candidate. Every metric is there, whatever decides.
struct TensorResult {
  std::string name;
  std::string problem;  ///< why nothing was compared: absent, its dtype, its shape
  std::string note;     ///< what is said of it though it decides nothing, or empty
  std::vector<std::size_t> shape = {};
  std::size_t count = 0;                 ///< elements compared
  std::vector<std::size_t> failed = {};  ///< of them, ascending, in C order
  std::size_t unjudged = 0;              ///< elements for which the arithmetic claims nothing
  double ratio = 0;  ///< largest |got - exact| / bound; at most 1 where it passes
  double max_absolute = 0;
  /// Elements that have digits to count: the bound of one that is within it fixes half of the
  /// digits of the dtype, and one that fails is larger than its bound. What cancels has no last
  /// place.
  std::size_t with_digits = 0;
  double max_relative = 0, max_ulp = 0;  ///< of these; in units in the last place of the dtype
  /// Their largest |got - exact| over the largest |exact| of all.
  double norm_wise = 0;
  std::string where;                     ///< the element with the largest ratio: "[2, 3]"
  double got = 0, exact = 0, bound = 0;  ///< there
  /// There: what one rounding of the inputs alone may move, by the bound. Near 1 no oracle can ask
  /// for more.
  double of_the_inputs = 0;
  ShareMap map = {};  ///< of one that failed, where CheckOptions asks for it

  bool passed() const { return problem.empty() && failed.empty(); }
};

/// What a failing answer agrees with.
struct Diagnosis {
  enum class Kind {
    mistake,  ///< a wrong formula
    bound,    ///< an arithmetic or a class of formulas whose bound it meets
    place     ///< nothing known: `what` says where the errors lie
  };

  std::string what;  ///< "eps: outside the root"
  Kind kind = Kind::mistake;
  double ulps = 0;  ///< of a mistake: how close, in units of the largest element
  std::vector<std::string> outputs = {};  ///< that agree, but for an arithmetic
  bool bounded = true;                    ///< the class claims something of each of their elements

  std::string sentence() const;
};

struct CaseResult {
  CaseDescription description;
  std::string problem;  ///< why no output could be compared, or why it was declined; a sentence
  std::vector<TensorResult> tensors;
  std::vector<Diagnosis> diagnosis;  ///< the closest first
  bool declined = false;             ///< the candidate does not offer it; it passed nothing

  bool passed() const;
};

struct CheckOptions {
  /// Empty: y, the gradients and the state have to be there, statistics are compared if they are.
  std::vector<std::string> outputs = {};
  std::optional<Accumulation> accumulation = {};  ///< absent: usual_accumulation of each case
  tolerance::Formula formula =
      tolerance::Formula::two_pass;  ///< a variance in one pass fails by default
  bool flush_subnormals = false;     ///< subnormal numbers that are flushed to 0 fail by default
  bool maps = false;                 ///< with a map of each output that failed
};

/// What a candidate answers; nothing where it declines the case, for it does not offer it.
struct Answer : std::optional<std::vector<StoredTensor>> {
  using std::optional<std::vector<StoredTensor>>::optional;
  std::string reason = {};  ///< why it declines, if it says so
};

/// How the answer to a case comes in.
/// Throws    FileError, one sentence: then the case failed for that reason
using Ask = std::function<Answer(const StoredCase& stored)>;

/// Answers are <folder>/<path of the case>/expected.safetensors or .npz, named as in the corpus.
Ask from_folder(const std::filesystem::path& folder);

/// After that many starts in a row without a line, each not ended by a signal, a program is given
/// up.
inline constexpr int kMostStarts = 3;

/// Answers come from a program (docs/guide/formats.md, Golden): it is started again where it ended. It is
/// given up after `most_starts` in a row that come to an end of their own, or hang, without a line;
/// where signals end them, after 8 times as many, and one more for each case that it has answered.
/// `complained` gets the last 64 KiB of what
/// it printed on standard error, if anything, when it is not asked any more; it throws nothing.
Ask from_program(const std::string& command, double seconds, int most_starts = kMostStarts,
                 std::function<void(const std::string& last)> complained = {});

/// Reads each case, asks for the answer and checks it.
/// Requires  jobs is 1 where `ask` takes one question at a time; each of options.outputs is
///           expected in one of the cases
/// Throws    UsageError where one is not; FileError where the corpus itself is damaged
std::vector<CaseResult> check_cases(const std::filesystem::path& golden,
                                    const std::vector<CaseDescription>& cases, const Ask& ask,
                                    const CheckOptions& options, int jobs,
                                    const std::function<void(std::size_t done)>& finished);

/// check_case, and where it fails, diagnose; an element that no double holds fails the case.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options);
/// The same with a tolerance at hand.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds);

/// Requires  each of the outputs is expected in one of the cases
/// Throws    UsageError with the nearest known name
void check_outputs_known(const std::vector<CaseDescription>& cases,
                         const std::vector<std::string>& outputs);

/// What the options ask of the answer to a case: tolerance.
tolerance::Tolerance asked_tolerance(const Case& c, const CheckOptions& options);

/// Whether the absence of an output fails its case.
bool is_required(const StoredCase& stored, const std::string& output, const CheckOptions& options);

/// The error over the bound of each element of an output, in C order: infinite where nothing may be
/// off or a number is expected and not there, NaN where the element is not judged.
/// Requires  the case expects an output of that name and shape, and the answer has it
std::vector<double> element_shares(const StoredCase& stored,
                                   const std::vector<StoredTensor>& answer,
                                   const std::string& output, const tolerance::Tolerance& bounds);

/// Holds what a candidate answers to one case against what is expected.
CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options);
/// check_case with a tolerance at hand, for many answers to one case.
CaseResult check_case(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      const CheckOptions& options, const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
