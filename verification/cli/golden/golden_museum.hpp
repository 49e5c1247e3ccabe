#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/power.hpp"
#include "verification/golden/museum/tour.hpp"
#include "verification/support/report/document.hpp"

// `golden power --museum` shows which publicly known bugs of other libraries the corpus finds.
namespace normproof::verification::cli::golden {

using verification::golden::museum::ExhibitResult;

/// Returns the results as text: one line per bug, and a closing line.
std::string museum_text(const std::vector<ExhibitResult>& visits);
/// Returns the results as a report: a table with one row per bug, and a closing line.
support::report::Document museum_document(const std::vector<ExhibitResult>& visits);
/// Returns the text of docs/generated/museum.md.
std::string museum_markdown(const std::vector<ExhibitResult>& visits,
                            verification::golden::museum::Tier tier);
std::string museum_json(const std::vector<ExhibitResult>& visits,
                        verification::golden::museum::Tier tier);
bool all_found(const std::vector<ExhibitResult>& visits);

}  // namespace normproof::verification::cli::golden
