#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/golden/gate/value_injection.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::golden {

/// Summarizes the injected values in a sentence, such as "31 values, each in the place of one
/// element: 30 refused, 1 right there, 0 within the bound, 0 not judged".
std::string injection_text(const verification::golden::gate::InjectionCounts& count);

/// Returns a table with one row per injected value, and a row with the totals.
support::report::Table injection_table(const verification::golden::gate::InjectionResult& planted);

/// Returns the counts as JSON, by injected value: {"NaN": {"elements": 31, "refused": 30, ...},
/// ...}.
nlohmann::ordered_json injection_json(const verification::golden::gate::InjectionResult& planted);

}  // namespace normproof::verification::cli::golden
