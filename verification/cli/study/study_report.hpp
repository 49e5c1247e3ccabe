#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/studies/published/conclusions.hpp"
#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns the report on the results of a folder, compared with the published ones. It has, for
/// each condition, its tables, figures, the norms' dynamics and the sensitivity to the rules; which
/// statements hold under which faults; what the published experiment could not show; and every cell
/// with its hash and its command. It depends only on the arguments.
support::report::Document study_document(const studies::published::Results& results,
                                         const studies::published::ClassCounts& classes);

/// Returns a verdict with its sign, as in "✓ holds", with the evidence as a tooltip.
support::report::Cell finding_cell(const studies::published::Finding& finding);

/// Writes "published entries: 54 the same here, 9 not" and the other counts.
std::string agreement_text(const studies::published::Agreement& counts);

/// Returns the same numbers as JSON: conditions with tables, agreement and findings.
nlohmann::ordered_json study_summary(const studies::published::Results& results,
                                     const studies::published::ClassCounts& classes);

}  // namespace normproof::verification::cli::study
