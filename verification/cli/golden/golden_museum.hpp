#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/detection_power.hpp"
#include "verification/golden/museum/exhibit_runs.hpp"
#include "verification/support/report/document.hpp"

// `golden power --museum` shows which publicly known bugs of other libraries the corpus finds.
namespace normproof::verification::cli::golden {

using verification::golden::museum::ExhibitResult;

/// Returns the results as text: one line per bug, and a closing line.
std::string known_bugs_text(const std::vector<ExhibitResult>& visits);
/// Returns the results as a report: a table with one row per bug, and a closing line.
support::report::Document known_bugs_document(const std::vector<ExhibitResult>& visits);
/// Returns the text of docs/generated/museum.md.
std::string known_bugs_markdown(const std::vector<ExhibitResult>& visits,
                                verification::golden::museum::Tier tier);
std::string known_bugs_json(const std::vector<ExhibitResult>& visits,
                            verification::golden::museum::Tier tier);
/// Whether every bug is found, and no name that the gate gives is wrong.
bool are_bugs_found_and_named(const std::vector<ExhibitResult>& visits);

}  // namespace normproof::verification::cli::golden
