#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verification/cli/golden.hpp"

namespace normproof::verification::cli {

/// The options of `normproof golden make` and `check`, as text.
struct GoldenTexts {
  std::string out, tier = "quick", golden, candidate, pipe, only = "*", outputs, accumulation,
                   formula;
  std::string jobs, timeout = "60", min_cases = "1", seeds = "1", layer = "*", format, xfail, json,
                    junit, sarif, markdown, relations, reason;
};

void add_golden(CLI::App& app, GoldenTexts& texts);

/// Throws    UsageError
GoldenMakeCommand golden_make_command(const CLI::App& verb, const GoldenTexts& texts);
GoldenBlessCommand golden_bless_command(const CLI::App& verb, const GoldenTexts& texts);
GoldenExportCommand golden_export_command(const CLI::App& verb, const GoldenTexts& texts);
GoldenRelationsCommand golden_relations_command(const CLI::App& verb, const GoldenTexts& texts);
GoldenPowerCommand golden_power_command(const CLI::App& verb, const GoldenTexts& texts);
GoldenCheckCommand golden_check_command(const CLI::App& verb, const GoldenTexts& texts);

}  // namespace normproof::verification::cli
