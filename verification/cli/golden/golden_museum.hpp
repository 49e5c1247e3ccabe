#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/power.hpp"
#include "verification/golden/museum/tour.hpp"
#include "verification/support/report/document.hpp"

// `golden power --museum`: what of the public bugs is found.
namespace normproof::verification::cli::golden {

using verification::golden::museum::ExhibitResult;

/// A line an exhibit, and the closing line.
std::string museum_text(const std::vector<ExhibitResult>& visits);
/// docs/generated/museum.md
std::string museum_markdown(const std::vector<ExhibitResult>& visits,
                            verification::golden::museum::Tier tier);
std::string museum_json(const std::vector<ExhibitResult>& visits,
                        verification::golden::museum::Tier tier);
bool all_found(const std::vector<ExhibitResult>& visits);

}  // namespace normproof::verification::cli::golden
