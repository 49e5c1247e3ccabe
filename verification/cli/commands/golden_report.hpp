#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/cli/commands/golden_check.hpp"
#include "verification/report/checks.hpp"
#include "verification/report/document.hpp"

namespace normproof::verification::cli::commands {

/// xfail: it failed, and is on the list of those that should; xpass: it is on the list, and passed;
/// declined: the candidate does not offer it, on the list or not.
enum class Outcome { passed, failed, xfail, xpass, declined };

struct CheckedCase {
  golden::gate::CaseResult result;
  Outcome outcome = Outcome::passed;
  std::string repro;  ///< the command that checks this case alone
  std::string file;   ///< its case.json, from where the command was given
};

/// What `normproof golden check` found. Every report is a function of it.
struct GoldenReport {
  std::vector<CheckedCase> cases;  ///< in ascending order of paths
  std::size_t min_cases = 1;
  bool strict = false;

  std::size_t count(Outcome outcome) const;
  std::size_t held() const;      ///< the cases that were not declined
  std::size_t unjudged() const;  ///< elements of which the bound claims nothing
  bool passed() const;
  std::string summary() const;  ///< the closing line
};

/// Marks each case by the list, a glob a line, '#' before a comment; see Outcome.
/// Throws    FileError naming `file` and the line where a glob matches no case of the corpus
GoldenReport golden_report(std::vector<golden::gate::CaseResult> results,
                           const GoldenCheckCommand& command, const std::string& xfail_list);

/// A line a layer: the wrong formula that most of its failed cases agree with.
std::vector<std::string> diagnosis_lines(const GoldenReport& report);

/// A line a layer of which cases were declined: how many.
std::vector<std::string> declined_lines(const GoldenReport& report);

/// A line a layer of answers that decide nothing, but were not stored in the dtype of their case.
std::vector<std::string> note_lines(const GoldenReport& report);

/// The metrics of every output by layer and dtype, then each failure with its line to reproduce it,
/// then the summary.
report::Document golden_document(const GoldenReport& report);

/// For the summary of a CI job, which is cut off below: the summary as its heading, then the
/// metrics and the failures.
report::Document golden_job_summary(const GoldenReport& report);

/// A check a case, a finding for each output that failed; and one more, failed, where there are
/// fewer cases than expected.
report::Checks golden_checks(const GoldenReport& report);

/// "y at [0, 3]: got -0.25, exact -0.75, bound 5.1e-07 (ratio 980000); 3 of 112 elements"; all
/// metrics.
std::string failure_text(const golden::gate::TensorResult& tensor);

}  // namespace normproof::verification::cli::commands
