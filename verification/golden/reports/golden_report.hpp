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

namespace normproof::verification::golden::reports {

/// The outcome of a case in a report.
/// - xfail: the case is on the list of expected failures, and it failed.
/// - xpass: the case is on that list, but it passed.
/// - declined: the candidate does not support the case, whether or not it is on the list.
enum class Outcome { passed, failed, xfail, xpass, declined };

/// Whether a case with this outcome makes the report fail.
inline bool is_failure(Outcome outcome) {
  return outcome == Outcome::failed || outcome == Outcome::xpass;
}

/// How the results of cases are reported, and which conditions the whole run must satisfy.
struct ReportSettings {
  std::size_t min_cases = 1;
  bool strict = false;     ///< whether an element of which nothing was verified counts as a failure
  std::string xfail = {};  ///< list of expected failures: one glob per line, '#' starts a comment
  std::string xfail_name = "--xfail";  ///< the name of that list in error messages
  /// Whether the whole corpus is checked. If so, it is an error if a glob in the list of expected
  /// failures matches no case.
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
  std::string repro;  ///< the command that checks only this case
  std::string file;   ///< the path of the case's case.json, relative to the working directory
};

/// An output of all cases of an operation in a dtype, and the smallest relative error of all its
/// elements that one of these cases would have found.
struct WidestBound {
  std::string operation;
  ref::io::DType dtype = ref::io::DType::float64;
  std::string output;
  double smallest_found_error = 0;
};

/// The results of `normproof golden check`, from which every report is generated.
struct GoldenReport {
  std::vector<CheckedCase> cases;  ///< the checked cases, sorted by path
  std::size_t min_cases = 1;
  bool strict = false;
  std::optional<certify::CorpusVersion> corpus = {};

  std::size_t count(Outcome outcome) const;
  /// Returns the number of cases that were not declined and of which something was verified.
  std::size_t judged_case_count() const;
  std::size_t unjudged() const;  ///< the number of elements of which nothing was verified
  /// Returns the output of an operation in a dtype whose bounds are widest, if an error of more
  /// than 1 %, or 8 unit roundoffs of the dtype, in all its elements would have passed in every
  /// case.
  std::optional<WidestBound> widest_bound() const;
  bool passed() const;
  std::string summary() const;  ///< the last line of the report
};

/// Gives each case its outcome, according to the list of expected failures.
/// Throws    FileError naming the list and the line if a glob matches no case of the corpus
GoldenReport golden_report(std::vector<gate::CaseResult> results, const ReportSettings& settings);

/// Returns one check per case, with a finding for each failed output. If fewer cases were judged
/// than required, a further check fails and says so.
support::report::Checks golden_checks(const GoldenReport& report);

}  // namespace normproof::verification::golden::reports
