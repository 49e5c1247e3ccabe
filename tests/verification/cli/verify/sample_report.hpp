#pragma once

#include <limits>

#include "tests/verification/checks/statistics/corpora.hpp"
#include "verification/cli/verify/report.hpp"

namespace normproof::tests::verification::cli::verify {

/// Returns a report with one claim that holds, one claim that is refuted as expected, and the
/// statistics of a small corpus.
inline normproof::verification::cli::verify::Report sample_report() {
  using namespace normproof::verification::cli;
  using namespace normproof::verification::cli::verify;
  Report report;
  report.version = "1.2.3";
  report.seed = 7;
  report.cases = 1000;
  report.corpus = "a<b>.txt";
  report.claims = {{.id = "A1",
                    .title = "holds & more",
                    .statement = "ψ² ≥ σ² where x < y, said at such a length that it has to be cut "
                                 "or broken in any terminal of usual width",
                    .source = "[SYG+20]",
                    .assumptions = "B >= 1",
                    .expected_to_hold = true,
                    .dropped = "",
                    .holds = true,
                    .as_expected = true,
                    .cases = 1000,
                    .violations = 0,
                    .worst = 0.25,
                    .worst_meaning = "|a - b| / bound",
                    .counterexample = "",
                    .detail = "and a detail",
                    .seed = 7,
                    .failure = "",
                    .evidence = "proved",
                    .evidence_detail = "A1_square (squares.v): for every <n>",
                    .theorems = {"A1_square"}},
                   {.id = "B12",
                    .title = "is false",
                    .statement = "γ/ψ <= 1",
                    .source = "",
                    .assumptions = "",
                    .expected_to_hold = false,
                    .dropped = "γ <= ψ",
                    .holds = false,
                    .as_expected = true,
                    .cases = 1200,
                    .violations = 3,
                    .worst = std::numeric_limits<double>::infinity(),
                    .worst_meaning = "",
                    .counterexample = "x = (1, <2>)",
                    .detail = "",
                    .seed = 7,
                    .failure = "",
                    .evidence = "tested",
                    .evidence_detail = "no theorem yet"}};
  report.statistics = normproof::verification::checks::statistics::collect_statistics(
      checks::statistics::random_corpus(9, 7), {.d_model = 4, .batch_size = 4, .steps = 6});
  report.nu_series = {{10, 1.7, {0.5, 0.25}}, {12, 2.3, {1, 1e9}}};
  return report;
}

/// Returns sample_report() with the smallest error that each check rejects, and with two checkers.
/// One of the checkers could not be run.
inline normproof::verification::cli::verify::Report sample_report_with_sensitivities() {
  using namespace normproof::verification::cli::verify;
  auto report = sample_report();
  report.claims[0].powers = {{"grad_x × (1 + δ)", 0x1p-150}, {"in the draws: y × (1 + δ)", 0.0625}};
  report.claims[1].powers = {{"y + δ", std::numeric_limits<double>::infinity()}};
  report.checkers = {{.name = "proofs",
                      .what = "theorems",
                      .state = CheckerReport::State::passed,
                      .summary = "1 theorem about 1 claim",
                      .items = {{"A1", "proved", "A1_square, squares.v: <no axiom>", true}}},
                     {.name = "smt",
                      .what = "instances",
                      .state = CheckerReport::State::skipped,
                      .summary = "z3 not installed"}};
  return report;
}

/// Returns sample_report() with one claim that has an unexpected verdict and one claim whose check
/// failed.
inline normproof::verification::cli::verify::Report failing_report() {
  auto report = sample_report();
  report.claims[0].holds = false;
  report.claims[0].as_expected = false;
  report.claims[0].counterexample = "x = (3)";
  report.claims[1].failure = "claim B12: its check threw: \"no\"";
  report.claims[1].as_expected = false;
  return report;
}

}  // namespace normproof::tests::verification::cli::verify
