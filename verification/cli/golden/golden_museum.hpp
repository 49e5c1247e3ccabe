#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/power.hpp"
#include "verification/golden/museum/tour.hpp"
#include "verification/support/report/document.hpp"

// `golden power --museum`: which publicly known bugs the corpus finds.
namespace normproof::verification::cli::golden {

using verification::golden::museum::ExhibitResult;

/// Returns one line per bug, and the closing line.
std::string museum_text(const std::vector<ExhibitResult>& visits);
/// Returns the bugs as a table, then the closing line.
support::report::Document museum_document(const std::vector<ExhibitResult>& visits);
/// Returns the text of docs/generated/museum.md.
std::string museum_markdown(const std::vector<ExhibitResult>& visits,
                            verification::golden::museum::Tier tier);
std::string museum_json(const std::vector<ExhibitResult>& visits,
                        verification::golden::museum::Tier tier);
bool all_found(const std::vector<ExhibitResult>& visits);

}  // namespace normproof::verification::cli::golden
