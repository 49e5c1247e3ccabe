#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/studies/published/conclusions.hpp"
#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// What a folder of results says, beside what was published: for each condition its tables,
/// figures, the norms' dynamics and the rules' sensitivity; which statement survives which fault;
/// what the published experiment could not show; every cell with its hash and its command. A
/// function of its arguments alone.
support::report::Document study_document(const studies::published::Results& results,
                                         const studies::published::ClassCounts& classes);

/// "✓ holds": a verdict with its sign, and with what it rests on as the hint.
support::report::Cell finding_cell(const studies::published::Finding& finding);

/// "published entries: 54 the same here, 9 not", and what else there is to count.
std::string agreement_text(const studies::published::Agreement& counts);

/// The same numbers: conditions with tables, agreement and findings.
nlohmann::ordered_json study_summary(const studies::published::Results& results,
                                     const studies::published::ClassCounts& classes);

}  // namespace normproof::verification::cli::study
