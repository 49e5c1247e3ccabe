#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace CLI {
class App;
}

// The options of the commands that read a corpus or ask an implementation.
namespace normproof::verification::cli::golden {

/// --golden, a corpus that is there, or a folder with one in `data`.
void add_golden(CLI::App& app, std::filesystem::path& golden);
/// The same where it need not be given.
void add_golden(CLI::App& app, std::optional<std::filesystem::path>& golden);

/// --out, the folder that a command makes.
void add_new_folder(CLI::App& app, std::filesystem::path& out);

/// --only, a glob on the paths of cases; it may be given again.
void add_only(CLI::App& app, verification::golden::corpus::PathGlobs& only);

/// --candidate, a folder of answers.
void add_candidate(CLI::App& app, std::optional<std::filesystem::path>& candidate);

/// --pipe, a program that answers, and --timeout, the seconds that it may take.
void add_pipe(CLI::App& app, std::optional<std::string>& pipe, double& timeout);
/// The same where there is no other way to ask.
void add_pipe(CLI::App& app, std::string& pipe, double& timeout);

/// Prints what a candidate said on standard error, its last 64 KiB, there.
void show_complaints(const std::string& last);

void add_accumulation(CLI::App& app,
                      std::optional<verification::golden::corpus::Accumulation>& accumulation,
                      const std::string& help);
void add_formula(CLI::App& app, verification::golden::tolerance::Formula& formula,
                 const std::string& help);

}  // namespace normproof::verification::cli::golden
