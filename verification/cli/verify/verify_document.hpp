#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// The width of the report, in columns, if standard output is not a terminal.
inline constexpr std::size_t default_width = 100;

/// Returns the report for readers: the table of claims, the statistics of the batches and the
/// closing line. Lines have at most `width` columns (at least 80), except for longer single words.
std::string verify_text(const Report& report, std::size_t width = default_width);

/// Returns a Markdown table for docs/derivations/proofs.md with the support of each claim: its
/// verdict, its evidence, the theorems or why there are none, and the smallest errors that its
/// check rejects.
std::string evidence_markdown(const Report& report);

/// Returns the content of verify_text as a page, with the evidence of each claim and pictures.
std::string verify_page(const Report& report);

}  // namespace normproof::verification::cli::verify
