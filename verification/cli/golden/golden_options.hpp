#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace CLI {
class App;
}

// Options of the commands that read a corpus or run an implementation.
namespace normproof::verification::cli::golden {

/// Adds --golden: an existing corpus, or a folder with one in `data`.
void add_golden(CLI::App& app, std::filesystem::path& golden);
/// Adds --golden as an option that may be absent.
void add_golden(CLI::App& app, std::optional<std::filesystem::path>& golden);

/// Adds --out, the folder that a command creates.
void add_new_folder(CLI::App& app, std::filesystem::path& out);

/// Adds --only, a glob on the paths of cases, which may be repeated.
void add_only(CLI::App& app, verification::golden::corpus::PathGlobs& only);

/// Adds --candidate, a folder of answers.
void add_candidate(CLI::App& app, std::optional<std::filesystem::path>& candidate);

/// Adds --pipe, a program that answers, and --timeout, the maximum seconds for one answer.
void add_pipe(CLI::App& app, std::optional<std::string>& pipe, double& timeout);
/// Adds --pipe as a required option, and --timeout.
void add_pipe(CLI::App& app, std::string& pipe, double& timeout);

/// Copies the candidate's standard error, its last 64 KiB, to standard error.
void show_complaints(const std::string& last);

void add_accumulation(CLI::App& app,
                      std::optional<verification::golden::corpus::Accumulation>& accumulation,
                      const std::string& help);
void add_formula(CLI::App& app, verification::golden::tolerance::Formula& formula,
                 const std::string& help);

}  // namespace normproof::verification::cli::golden
