#pragma once

#include <limits>

#include "verification/cli/regress/regress_report.hpp"

namespace normproof::tests::verification::cli::regress {

/// Returns a report with three recordings. In the last one, three outputs have changed and a case
/// is missing.
inline normproof::verification::cli::regress::RegressReport sample_regression() {
  namespace regression = normproof::verification::checks::regression;
  using regression::Direction;
  normproof::verification::cli::regress::RegressReport report;
  report.recordings.resize(3);
  for (auto& recording : report.recordings) {
    recording.candidate = "--pipe ./k <a>";
    recording.environment = {{"compiler", "g++ 12"}, {"threads", "2"}};
    recording.cases = recording.answered = 9;
    recording.results_sha256 = std::string(64, 'a');
    recording.layers = {{"layer_norm", {9, 0.5, 0.25, 0.125, 0.0625}},
                        {"rms_norm", {9, 0, 0, std::numeric_limits<double>::infinity(), 0}}};
  }
  report.recordings[0].label = "<v1>";
  report.recordings[1].label = "it's v2";
  report.from = 1;
  report.to = 2;
  report.change.cases = 9;
  report.change.outputs = 30;
  report.change.moved_cases = 3;
  report.change.movements = {
      {"quick/a",
       "grad_x",
       "",
       2,
       12,
       1,
       "[0, 1]",
       Direction::towards,
       {12, 2, 1, 0.5, 0.25},
       {12, 1, 1, 0.25, 0.25}},
      {"quick/a",
       "y",
       "",
       12,
       12,
       1234,
       "[3]",
       Direction::away,
       {12, 1, 1, 0.25, 0.25},
       {12, 2, 1, 0.5, 0.25}},
      {"quick/b", "y", "float64 -> float32", 0, 12, 0, "", Direction::neither, {}, {}},
      {"quick/c", "", "has no answer any more: <it> ended", 0, 0, 0, "", Direction::away, {}, {}}};
  return report;
}

}  // namespace normproof::tests::verification::cli::regress
