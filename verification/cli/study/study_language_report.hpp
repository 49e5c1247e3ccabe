#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// What the results of the study of language models say, beside what was published: conclusions;
/// for each condition the test, the rates, the fluctuations and the learning curves; which
/// difference its seeds can see; every cell with its hash and the command that runs it again. A
/// function of its arguments alone.
support::report::Document language_document(const studies::language::Results& results,
                                            const std::string& results_sha256);

/// The same numbers: conditions with their norms and findings.
nlohmann::ordered_json language_summary(const studies::language::Results& results,
                                        const std::string& results_sha256);

/// Which difference a study of so many seeds can see, a row a norm and condition: in perplexity,
/// and where there are translators in BLEU.
std::vector<support::report::Table> language_power_tables(const studies::language::Results& results,
                                                          std::size_t seeds);

}  // namespace normproof::verification::cli::study
