#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/certify/corpus_version.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::golden::reports {

/// The outcome of a case. xfail: it is on the list of expected failures, and failed. xpass: it is
/// on that list, but passed. declined: the candidate does not support it, whether or not it is on
/// the list.
enum class Outcome { passed, failed, xfail, xpass, declined };

/// How cases are reported, and what is required of them as a whole.
struct ReportSettings {
  std::size_t min_cases = 1;
  bool strict = false;     ///< whether an element that is not judged counts as a failure
  std::string xfail = {};  ///< expected failures: one glob per line, '#' starts a comment
  std::string xfail_name = "--xfail";  ///< the name of that list in errors
  /// Whether the whole corpus is checked. If so, a glob of the list that matches no case is an
  /// error.
  bool checks_whole_corpus = true;
  /// Returns the command that checks a single case.
  std::function<std::string(const std::string& path, Outcome outcome)> repro = {};
  /// Returns the path of a case's case.json relative to the working directory, or "" if there is
  /// none.
  std::function<std::string(const std::string& path)> file = {};
  /// The version of the corpus that was checked.
  std::optional<certify::CorpusVersion> corpus = {};
};

struct CheckedCase {
  gate::CaseResult result;
  Outcome outcome = Outcome::passed;
  std::string repro;  ///< the command that checks this case only
  std::string file;   ///< its case.json, relative to the working directory
};

/// The results of `normproof golden check`, from which every report is generated.
struct GoldenReport {
  std::vector<CheckedCase> cases;  ///< the checked cases in ascending order of paths
  std::size_t min_cases = 1;
  bool strict = false;
  std::optional<certify::CorpusVersion> corpus = {};

  std::size_t count(Outcome outcome) const;
  /// Number of cases that were not declined and have a judged element.
  std::size_t held() const;
  std::size_t unjudged() const;  ///< number of elements with an infinite bound
  bool passed() const;
  std::string summary() const;  ///< the closing line
};

/// Assigns each case its outcome, given the list of expected failures.
/// Throws    FileError naming the list and the line if a glob matches no case of the corpus
GoldenReport golden_report(std::vector<gate::CaseResult> results, const ReportSettings& settings);

/// Returns one line per layer: the wrong formula with which most of its failed cases agree; if
/// several do, the one with which most of their outputs agree.
std::vector<std::string> diagnosis_lines(const GoldenReport& report);

/// Returns the version of the corpus, and whether it is older than the one that this program makes.
std::vector<std::string> corpus_lines(const GoldenReport& report);

/// Returns one line per layer with declined cases: their number, and the first with its reason.
std::vector<std::string> declined_lines(const GoldenReport& report);

/// Returns one line per layer with outputs that were not stored in the dtype of their case, which
/// does not affect the verdict.
std::vector<std::string> note_lines(const GoldenReport& report);

/// Returns the metrics of every output by layer and dtype, then each failure with its command to
/// reproduce it, then the summary.
support::report::Document golden_document(const GoldenReport& report);

/// Returns a document for the summary of a CI job, which may be truncated at the end: the summary
/// comes first as its heading, then the metrics and the failures.
support::report::Document golden_job_summary(const GoldenReport& report);

/// Returns one check per case with a finding for each failed output, and one more failed check if
/// there are fewer cases than expected.
support::report::Checks golden_checks(const GoldenReport& report);

/// Describes a failed output with all metrics: "y at [0, 3]: got -0.25, exact -0.75, bound 5.1e-07
/// (ratio 980000); 3 of 112 elements".
std::string failure_text(const gate::TensorResult& tensor);

}  // namespace normproof::verification::golden::reports
