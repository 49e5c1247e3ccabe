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

/// xfail: it failed, and is on the list of those that should; xpass: it is on the list, and passed;
/// declined: the candidate does not offer it, on the list or not.
enum class Outcome { passed, failed, xfail, xpass, declined };

/// How a case is told of, and what is asked of all of them together.
struct ReportSettings {
  std::size_t min_cases = 1;
  bool strict = false;     ///< an element that is not judged is a failure
  std::string xfail = {};  ///< cases that should fail: a glob a line, '#' before a comment
  std::string xfail_name = "--xfail";  ///< what an error calls that list
  bool all_asked =
      true;  ///< of the corpus: then a glob of the list that matches no case is an error
  /// The command that checks a case alone.
  std::function<std::string(const std::string& path, Outcome outcome)> repro = {};
  /// The case.json of a case, from where the command was given; empty where there is none.
  std::function<std::string(const std::string& path)> file = {};
  std::optional<certify::CorpusVersion> corpus = {};  ///< the version of what was asked
};

struct CheckedCase {
  gate::CaseResult result;
  Outcome outcome = Outcome::passed;
  std::string repro;  ///< the command that checks this case alone
  std::string file;   ///< its case.json, from where the command was given
};

/// What `normproof golden check` found. Every report is a function of it.
struct GoldenReport {
  std::vector<CheckedCase> cases;  ///< in ascending order of paths
  std::size_t min_cases = 1;
  bool strict = false;
  std::optional<certify::CorpusVersion> corpus = {};

  std::size_t count(Outcome outcome) const;
  std::size_t held() const;      ///< the cases that were not declined, and not wholly unjudged
  std::size_t unjudged() const;  ///< elements of which the bound claims nothing
  bool passed() const;
  std::string summary() const;  ///< the closing line
};

/// Marks each case by the list; see Outcome.
/// Throws    FileError naming the list and the line where a glob matches no case of the corpus
GoldenReport golden_report(std::vector<gate::CaseResult> results, const ReportSettings& settings);

/// A line a layer: the wrong formula that most of its failed cases agree with, of several the one
/// that most of their outputs do.
std::vector<std::string> diagnosis_lines(const GoldenReport& report);

/// The version of the corpus, and whether it is behind the one that this program makes.
std::vector<std::string> corpus_lines(const GoldenReport& report);

/// A line a layer of which cases were declined: how many, and the first with its reason.
std::vector<std::string> declined_lines(const GoldenReport& report);

/// A line a layer of answers that decide nothing, but were not stored in the dtype of their case.
std::vector<std::string> note_lines(const GoldenReport& report);

/// The metrics of every output by layer and dtype, then each failure with its line to reproduce it,
/// then the summary.
support::report::Document golden_document(const GoldenReport& report);

/// For the summary of a CI job, which is cut off below: the summary as its heading, then the
/// metrics and the failures.
support::report::Document golden_job_summary(const GoldenReport& report);

/// A check a case, a finding for each output that failed; and one more, failed, where there are
/// fewer cases than expected.
support::report::Checks golden_checks(const GoldenReport& report);

/// "y at [0, 3]: got -0.25, exact -0.75, bound 5.1e-07 (ratio 980000); 3 of 112 elements"; all
/// metrics.
std::string failure_text(const gate::TensorResult& tensor);

}  // namespace normproof::verification::golden::reports
