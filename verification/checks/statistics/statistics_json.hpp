#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::checks::statistics {

/// Returns the statistics as JSON: every step of every scenario, with the keys in the order of
/// docs/guide/formats.md. Missing and non-finite numbers are null.
nlohmann::ordered_json to_json(const Statistics& statistics);

}  // namespace normproof::verification::checks::statistics
