#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/golden/gate/planted.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::golden {

/// "31 values, each in the place of one element: 30 refused, 1 right there, 0 within the bound, 0
/// not judged"
std::string planted_text(const verification::golden::gate::PlantedCount& count);

/// A row a value, and one of all.
support::report::Table planted_table(const verification::golden::gate::Planted& planted);

/// {"NaN": {"elements": 31, "refused": 30, ...}, ...}
nlohmann::ordered_json planted_json(const verification::golden::gate::Planted& planted);

}  // namespace normproof::verification::cli::golden
