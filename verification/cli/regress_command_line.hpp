#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verification/cli/regress.hpp"

namespace normproof::verification::cli {

/// The options of `normproof regress record` and `compare`, as text.
struct RegressTexts {
  std::string golden, history, candidate, pipe, timeout = "60", label, only = "*", jobs;
  bool self = false;
  std::string from, to, allow = "none", html, json, junit;
};

void add_regress(CLI::App& app, RegressTexts& texts);

/// Throws    UsageError
RegressRecordCommand regress_record_command(const CLI::App& verb, const RegressTexts& texts);
RegressCompareCommand regress_compare_command(const CLI::App& verb, const RegressTexts& texts);

}  // namespace normproof::verification::cli
