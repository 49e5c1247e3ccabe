#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::cli::verify {

/// The smallest injected error that the check of a claim rejects, for one kind of error.
struct SmallestRejectedError {
  std::string planted;  ///< formula of the injected error, such as "grad_x × (1 + δ)"
  double smallest_rejected_error =
      0;  ///< smallest rejected δ; infinite if no δ up to 1 is rejected
};

/// A claim of the ledger and the result of its check, in plain values. Every text was passed
/// through clean().
struct ReportedClaim {
  std::string id, title, statement, source, assumptions;
  bool expected_to_hold = true;
  /// The assumption that this claim leaves out. Without it, the claim should be refuted. Empty if
  /// the claim should hold.
  std::string dropped;

  bool holds = false;
  bool as_expected = false;
  std::size_t cases = 0;
  std::size_t violations = 0;
  double worst = 0;
  std::string worst_meaning, counterexample, detail;
  std::uint64_t seed = 0;
  std::string failure;  ///< why the check itself could not be completed
  /// `evidence` is "proved", "proved with premises", "decided" or "tested". `evidence_detail` is
  /// the theorem, with the assumptions that it has in addition to the assumptions of the claim. If
  /// there is no theorem, `evidence_detail` is the reason why there is none.
  std::string evidence = {}, evidence_detail = {};
  std::vector<std::string> theorems = {};          ///< names of the theorems
  std::vector<SmallestRejectedError> powers = {};  ///< only if --power is given
};

/// The absolute values of nu, the moving average in PowerNorm's backward pass, for a channel that
/// is active only in every K-th batch.
struct NuSeries {
  std::size_t period = 0;  ///< the number K
  double theta = 0;        ///< (1 - alpha) Gamma of an active batch in the steady state
  std::vector<double> nu;  ///< value after the active batch of each period
};

/// A theorem or instance that a checker checked, and the result.
struct CheckedItem {
  std::string claim;    ///< id of the claim
  std::string verdict;  ///< result in the checker's words, such as "proved" or "FAILED"
  std::string text;     ///< the theorem or the instance
  bool good = false;
};

/// The results of a checker (checkers.hpp).
struct CheckerReport {
  enum class State { passed, failed, skipped };
  std::string name;  ///< name of the checker, such as "proofs" for --proofs
  std::string what;  ///< what it checks, such as "theorems"
  State state = State::failed;
  /// How much was checked, why nothing was checked, or what failed first.
  std::string summary = {};
  std::vector<CheckedItem> items = {};
};

/// Returns the state in words: "passed", "failed" or "skipped".
std::string_view to_string(CheckerReport::State state);

/// All results of `normproof verify`, from which every form of its report is generated. They depend
/// only on the seed, the number of cases and the input files.
struct Report {
  std::string version;
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  std::string corpus;  ///< name of the corpus file, or of the synthetic corpus
  std::vector<ReportedClaim> claims;
  checks::statistics::Statistics statistics;
  std::vector<NuSeries> nu_series;
  std::vector<CheckerReport> checkers = {};  ///< results of the checkers that the user requested
};

/// Returns the verdict in words: "holds", "refuted, as expected", "UNEXPECTED: refuted",
/// "UNEXPECTED: holds" or "FAILED".
std::string verdict_text(const ReportedClaim& claim);

/// Returns lines that explain the verdict: the assumption that was dropped, the counterexample, or
/// why the check failed. Returns no lines for a claim that holds as expected.
std::vector<std::string> reasons(const ReportedClaim& claim);

/// Returns the smallest rejected error as text: "‖∂L/∂W_2‖ × L^δ: from δ = 0.023 on" or "grad_x ×
/// (1 + δ): from δ = 2^-161 on".
std::string power_text(const SmallestRejectedError& power);

std::vector<std::string> unexpected_claims(const Report& report);

/// Whether every verdict is as expected, the statistics have no error, and no checker failed.
bool succeeded(const Report& report);

/// Whether a checker that the user requested could not be run.
bool has_skipped_checker(const Report& report);

/// Returns the last line, which summarizes the report.
std::string closing_line(const Report& report);

}  // namespace normproof::verification::cli::verify
