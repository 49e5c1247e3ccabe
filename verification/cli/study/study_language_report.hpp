#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns the report on the results of the study of language models, compared with the published
/// ones. It has the conclusions; for each condition the test, the rates, the fluctuations and the
/// learning curves; the difference that its seeds can detect; and every cell with its hash and the
/// command that repeats it. It depends only on the arguments.
support::report::Document language_document(const studies::language::Results& results,
                                            const std::string& results_sha256);

/// Returns the same numbers as JSON: conditions with their norms and findings.
nlohmann::ordered_json language_summary(const studies::language::Results& results,
                                        const std::string& results_sha256);

/// Returns the differences that a study of this number of seeds can detect, one row per norm and
/// condition: in perplexity and, for translators, in BLEU.
std::vector<support::report::Table> language_power_tables(const studies::language::Results& results,
                                                          std::size_t seeds);

}  // namespace normproof::verification::cli::study
