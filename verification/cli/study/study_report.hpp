#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/studies/published/conclusions.hpp"
#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns the report on the results in a folder, which compares them with the published results.
/// It depends only on the arguments.
///
/// For each condition, the report shows tables, figures, the statistics of the norm layers and the
/// sensitivity to the rules. Then it lists, for each statement of the paper, the faults of the
/// published code with which the statement holds. It also explains what the published experiment
/// could not show. It ends with every training run, its hash and its command.
support::report::Document study_document(const studies::published::Results& results,
                                         const studies::published::ClassCounts& classes);

/// Returns a verdict with its sign, such as "✓ holds". The tooltip shows the numbers from which the
/// verdict follows.
support::report::Cell finding_cell(const studies::published::Finding& finding);

/// Returns the counts as text that begins, for example, with "published entries: 54 the same here,
/// 9 not".
std::string agreement_text(const studies::published::Agreement& counts);

/// Returns the numbers of study_document() as JSON: conditions, with tables, agreement and
/// findings.
nlohmann::ordered_json study_summary(const studies::published::Results& results,
                                     const studies::published::ClassCounts& classes);

}  // namespace normproof::verification::cli::study
