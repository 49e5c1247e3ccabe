#pragma once

#include <string>
#include <vector>

#include "verification/golden/reports/golden_report.hpp"

/// Lines of a report in words.
namespace normproof::verification::golden::reports {

/// Returns one line per layer. It names the wrong formula that agrees with the most failed cases of
/// the layer. If several formulas agree with equally many cases, the line names the one that agrees
/// with the most outputs. A further line for each option says how many failed cases would pass with
/// it.
std::vector<std::string> diagnosis_lines(const GoldenReport& report);

/// Returns lines with the version of the corpus. If the corpus is older than the one that this
/// program makes, the lines contain a warning.
std::vector<std::string> corpus_lines(const GoldenReport& report);

/// Returns one line for each layer with declined cases: the number of declined cases, and the first
/// of them with the candidate's reason.
std::vector<std::string> declined_lines(const GoldenReport& report);

/// Returns one line for each layer with elements of which its cases ask nothing, because zeros
/// would be within the bounds of any correct implementation. Such elements do not affect the
/// verdict.
std::vector<std::string> unasked_lines(const GoldenReport& report);

/// Returns one line for each layer with outputs that were stored with more digits than the dtype of
/// the case has. Such outputs do not affect the verdict.
std::vector<std::string> note_lines(const GoldenReport& report);

/// Describes a failed output with all its metrics, for example "y at [0, 3]: got -0.25, exact
/// -0.75, bound 5.1e-07 (ratio 980000); 3 of 112 elements".
std::string failure_text(const gate::TensorResult& tensor);

}  // namespace normproof::verification::golden::reports
