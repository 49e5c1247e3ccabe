#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/power.hpp"
#include "verification/golden/museum/tour.hpp"
#include "verification/support/report/document.hpp"

// `golden power --museum`: what of the public bugs is found.
namespace normproof::verification::cli::golden {

using verification::golden::museum::Visit;

/// A line an exhibit, and the closing line.
std::string museum_text(const std::vector<Visit>& visits);
/// The exhibits as a table, then the closing line.
support::report::Document museum_document(const std::vector<Visit>& visits);
/// docs/museum.md
std::string museum_markdown(const std::vector<Visit>& visits,
                            verification::golden::museum::Tier tier);
std::string museum_json(const std::vector<Visit>& visits, verification::golden::museum::Tier tier);
bool all_found(const std::vector<Visit>& visits);

}  // namespace normproof::verification::cli::golden
