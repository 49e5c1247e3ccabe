#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns the report on the results of the study of language models, which compares them with the
/// published results. It depends only on the arguments.
///
/// It begins with the conclusions. For each condition it shows test results, learning rates,
/// fluctuations and learning curves. Then it shows the differences that the seeds suffice to
/// detect. It ends with every training run, its hash and the command that repeats it.
support::report::Document language_document(const studies::language::Results& results,
                                            const std::string& results_sha256);

/// Returns the numbers of language_document() as JSON: conditions, with norms and findings.
nlohmann::ordered_json language_summary(const studies::language::Results& results,
                                        const std::string& results_sha256);

/// Returns tables of the differences that a study with `seeds` seeds can detect, in perplexity and,
/// for translators, in BLEU. They have one row per norm and condition.
std::vector<support::report::Table> language_power_tables(const studies::language::Results& results,
                                                          std::size_t seeds);

}  // namespace normproof::verification::cli::study
