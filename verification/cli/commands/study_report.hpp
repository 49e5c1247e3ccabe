#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/report/document.hpp"
#include "verification/study/conclusions.hpp"
#include "verification/study/tables.hpp"

namespace normproof::verification::cli::commands {

/// Returns the report on the results of a folder, compared with the published ones. It has, for
/// each condition, its tables, figures, the norms' dynamics and the sensitivity to the rules; which
/// statements hold under which faults; what the published experiment could not show; and every cell
/// with its hash and its command. It depends only on the arguments.
report::Document study_document(const study::Results& results, const study::ClassCounts& classes);

/// Returns a verdict with its sign, as in "✓ holds", with the evidence as a tooltip.
report::Cell finding_cell(const study::Finding& finding);

/// Writes "published entries: 54 the same here, 9 not" and the other counts.
std::string agreement_text(const study::Agreement& counts);

/// Returns the same numbers as JSON: conditions with tables, agreement and findings.
nlohmann::ordered_json study_summary(const study::Results& results,
                                     const study::ClassCounts& classes);

}  // namespace normproof::verification::cli::commands
