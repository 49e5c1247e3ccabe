#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::cli::verify {

/// The smallest injected error of one kind that the check of a claim rejects.
struct ReportedPower {
  std::string planted;        ///< "grad_x × (1 + δ)"
  double least_rejected = 0;  ///< infinity if no δ up to 1 is rejected
};

/// A claim of the ledger and its result, in plain values. Every text is clean().
struct ReportedClaim {
  std::string id, title, statement, source, assumptions;
  bool expected_to_hold = true;
  std::string dropped;  ///< the assumption whose absence refutes it; empty if the claim should hold

  bool holds = false;
  bool as_expected = false;
  std::size_t cases = 0;
  std::size_t violations = 0;
  double worst = 0;
  std::string worst_meaning, counterexample, detail;
  std::uint64_t seed = 0;
  std::string failure;  ///< why the check itself failed
  /// "proved", "proved with premises", "decided" or "tested"; and the theorem, with what it assumes
  /// beyond the claim, or why there is none.
  std::string evidence = {}, evidence_detail = {};
  std::vector<std::string> theorems = {};  ///< their names
  std::vector<ReportedPower> powers = {};  ///< if --power requested them
};

/// |nu| of PowerNorm on a channel that is active once in every K batches.
struct NuSeries {
  std::size_t period = 0;  ///< K
  double theta = 0;        ///< (1 - alpha) Gamma of an active batch in the steady state
  std::vector<double> nu;  ///< after the active batch of each period
};

/// One thing that a checker checked.
struct CheckedItem {
  std::string claim;    ///< id of the claim
  std::string verdict;  ///< the checker's word: "proved", "FAILED", ...
  std::string text;     ///< which theorem, or which instance
  bool good = false;
};

/// The findings of a checker (checkers.hpp).
struct CheckerReport {
  enum class State { passed, failed, skipped };
  std::string name;  ///< "proofs", for --proofs
  std::string what;  ///< the things it checks: "theorems"
  State state = State::failed;
  std::string summary = {};  ///< how much was checked, why nothing was, or what failed first
  std::vector<CheckedItem> items = {};
};

/// Returns "passed", "failed" or "skipped".
std::string_view to_string(CheckerReport::State state);

/// All findings of `normproof verify`. They depend only on seed, cases and the input files. Every
/// form of the report is written from it.
struct Report {
  std::string version;
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  std::string corpus;  ///< name of the file, or of the synthetic corpus
  std::vector<ReportedClaim> claims;
  checks::statistics::Statistics statistics;
  std::vector<NuSeries> nu_series;
  std::vector<CheckerReport> checkers = {};  ///< the requested ones
};

/// Returns "holds", "refuted, as expected", "UNEXPECTED: refuted", "UNEXPECTED: holds" or "FAILED".
std::string verdict_text(const ReportedClaim& claim);

/// Returns why a claim is not simply true, in separate lines: the assumption that was dropped, the
/// counterexample, or how its check failed. Nothing for a claim that holds as expected.
std::vector<std::string> reasons(const ReportedClaim& claim);

/// Writes "‖∂L/∂W_2‖ × L^δ: from δ = 0.023 on" or "grad_x × (1 + δ): from δ = 2^-161 on".
std::string power_text(const ReportedPower& power);

std::vector<std::string> unexpected_claims(const Report& report);

/// Whether every verdict is as expected, the statistics have no error and no checker failed.
bool succeeded(const Report& report);

/// Whether a requested checker could not be run.
bool has_skipped(const Report& report);

/// Returns the last line, which summarizes the report.
std::string closing_line(const Report& report);

}  // namespace normproof::verification::cli::verify
