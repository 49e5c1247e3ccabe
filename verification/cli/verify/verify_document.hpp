#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// The number of columns of the report if standard output is not a terminal.
inline constexpr std::size_t default_width = 100;

/// Returns the report as text: the table of claims, the statistics of the batches and the closing
/// line. Lines have at most `width` columns, where `width` is at least 80. A single long word may
/// be longer.
std::string verify_text(const Report& report, std::size_t width = default_width);

/// Returns a Markdown table for docs/derivations/proofs.md. For each claim, it shows the verdict,
/// the kind of evidence, the theorems or why there are none, and the smallest errors that its check
/// rejects.
std::string evidence_markdown(const Report& report);

/// Returns the report as an HTML page: the content of verify_text(), the evidence of each claim,
/// and pictures.
std::string verify_page(const Report& report);

}  // namespace normproof::verification::cli::verify
