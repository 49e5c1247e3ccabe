#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::checks::statistics {

/// The statistics as JSON, every step of every scenario; the keys in the order of
/// docs/guide/formats.md. What was not measured is null, and so is a number that is not finite.
nlohmann::ordered_json to_json(const Statistics& statistics);

}  // namespace normproof::verification::checks::statistics
