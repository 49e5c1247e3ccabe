#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// Columns of the report where standard output is no terminal.
inline constexpr std::size_t default_width = 100;

/// The report for people: the table of claims, the statistics of the batches, the closing line.
/// Lines have at most `width` columns (80 at least), save where a single word is longer.
std::string verify_text(const Report& report, std::size_t width = default_width);

/// What stands behind each claim, as a table in Markdown: its verdict, its evidence, the theorems
/// or why there is none, and what the check rejects: the table of docs/derivations/proofs.md.
std::string evidence_markdown(const Report& report);

/// What verify_text says as a page, with the evidence of each claim and pictures.
std::string verify_page(const Report& report);

}  // namespace normproof::verification::cli::verify
