#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::cli::verify {

/// How small an error of one kind, planted in the implementation, the check of a claim rejects.
struct ReportedPower {
  std::string planted;        ///< "grad_x × (1 + δ)"
  double least_rejected = 0;  ///< infinity where no δ up to 1 is
};

/// A claim of the ledger and what came of it, in plain values; every text is clean().
struct ReportedClaim {
  std::string id, title, statement, source, assumptions;
  bool expected_to_hold = true;
  std::string dropped;  ///< the assumption whose absence refutes it; empty where it should hold

  bool holds = false;
  bool as_expected = false;
  std::size_t cases = 0;
  std::size_t violations = 0;
  double worst = 0;
  std::string worst_meaning, counterexample, detail;
  std::uint64_t seed = 0;
  std::string failure;  ///< the check itself failed: why
  /// "proved", "proved with premises", "decided" or "tested", and by which theorem, with what it
  /// asks for beyond the claim, or why by none
  std::string evidence = {}, evidence_detail = {};
  std::vector<std::string> theorems = {};  ///< their names
  std::vector<ReportedPower> powers = {};  ///< where --power asked for them
};

/// |nu| of PowerNorm on a channel that is active once every K batches.
struct NuSeries {
  std::size_t period = 0;  ///< K
  double theta = 0;        ///< (1 - alpha) Gamma of an active batch in the steady state
  std::vector<double> nu;  ///< after the active batch of each period
};

/// One thing that a checker has checked.
struct CheckedItem {
  std::string claim;    ///< the id of the claim that it is about
  std::string verdict;  ///< the checker's word: "proved", "FAILED", ...
  std::string text;     ///< which theorem, or which instance
  bool good = false;
};

/// What a program of the sources found that checks the claims by means of its own.
struct CheckerReport {
  enum class State { passed, failed, skipped };
  std::string name;  ///< "proofs", of --proofs
  std::string what;  ///< "theorems": what it checks
  State state = State::failed;
  std::string summary = {};  ///< how much was checked, why nothing was, or what failed first
  std::vector<CheckedItem> items = {};
};

/// "passed", "failed" or "skipped"
std::string_view to_string(CheckerReport::State state);

/// Everything that `normproof verify` found: a function of seed, cases and the input files, and of
/// nothing else. Every form of the report is written from it.
struct Report {
  std::string version;
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  std::string corpus;  ///< name of the file, or of the synthetic corpus
  std::vector<ReportedClaim> claims;
  checks::statistics::Statistics statistics;
  std::vector<NuSeries> nu_series;
  std::vector<CheckerReport> checkers = {};  ///< of those that were asked for
};

/// "holds", "refuted, as expected", "UNEXPECTED: refuted", "UNEXPECTED: holds", "FAILED"
std::string verdict_text(const ReportedClaim& claim);

/// Why a claim is not simply true, a line each: the assumption that was dropped, the
/// counterexample, or how its check failed. Nothing for a claim that holds as it should.
std::vector<std::string> reasons(const ReportedClaim& claim);

/// "‖∂L/∂W_2‖ × L^δ: from δ = 0.023 on", "grad_x × (1 + δ): from δ = 2^-161 on"
std::string power_text(const ReportedPower& power);

std::vector<std::string> unexpected_claims(const Report& report);

/// True where every verdict is as expected, the statistics have no error and no checker failed.
bool succeeded(const Report& report);

/// True where a checker that was asked for could not be run.
bool has_skipped(const Report& report);

/// The last line: what to think of it all.
std::string closing_line(const Report& report);

}  // namespace normproof::verification::cli::verify
