#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace CLI {
class App;
}

// Options that several `golden` commands have: those that select a corpus or a candidate.
namespace normproof::verification::cli::golden {

/// Adds the option --golden: an existing corpus, or a folder with a corpus in `data`.
void add_golden_option(CLI::App& app, std::filesystem::path& golden);
/// Adds the option --golden, which may be absent.
void add_golden_option(CLI::App& app, std::optional<std::filesystem::path>& golden);

/// Adds the option --out: the folder that the command creates.
void add_new_folder_option(CLI::App& app, std::filesystem::path& out);

/// Adds the option --only: a glob that selects cases by their path. It may be given several times.
void add_only_option(CLI::App& app, verification::golden::corpus::PathGlobs& only);

/// Adds the option --candidate: a folder with a candidate's outputs.
void add_candidate(CLI::App& app, std::optional<std::filesystem::path>& candidate);

/// Adds the options --pipe, a program that computes outputs, and --timeout, the maximum seconds for
/// one case.
void add_pipe_option(CLI::App& app, std::optional<std::string>& pipe, double& timeout);
/// Adds the options --pipe, which is required here, and --timeout.
void add_pipe_option(CLI::App& app, std::string& pipe, double& timeout);

/// Prints `last`, the end of what the candidate wrote to standard error (at most 64 KiB), on this
/// program's standard error.
void print_candidate_errors(const std::string& last);

void add_accumulation_option(
    CLI::App& app, std::optional<verification::golden::corpus::Accumulation>& accumulation,
    const std::string& help);
void add_formula_option(CLI::App& app, verification::golden::tolerance::Formula& formula,
                        const std::string& help);

}  // namespace normproof::verification::cli::golden
