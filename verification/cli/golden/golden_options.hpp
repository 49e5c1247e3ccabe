#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/tolerance/cross_entropy_allowances.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace CLI {
class App;
}

// Options that several `golden` commands have: those that select a corpus or a candidate.
namespace normproof::verification::cli::golden {

/// Adds the option --golden. Its value is the folder of a corpus, or a folder that contains a
/// corpus in `data`.
void add_golden_option(CLI::App& app, std::filesystem::path& golden);
/// Adds the option --golden, which may be absent.
void add_golden_option(CLI::App& app, std::optional<std::filesystem::path>& golden);

/// Adds the option --out, whose value is the folder that the command creates.
void add_new_folder_option(CLI::App& app, std::filesystem::path& out);

/// Adds the option --only, whose value is a glob that selects cases by their path. The option may
/// be given several times.
void add_only_option(CLI::App& app, verification::golden::corpus::PathGlobs& only);

/// Adds the option --candidate, whose value is a folder with a candidate's outputs.
void add_candidate(CLI::App& app, std::optional<std::filesystem::path>& candidate);
/// Checks that the folder of a candidate is not the corpus, which would be compared with itself.
/// Throws    UsageError that names the folder
void check_is_not_corpus(const std::filesystem::path& candidate,
                         const std::filesystem::path& golden);

/// Adds two options. --pipe is a program that computes outputs, and --timeout is the maximum number
/// of seconds for one case.
void add_pipe_option(CLI::App& app, std::optional<std::string>& pipe, double& timeout);
/// Adds the options --pipe, which is required here, and --timeout.
void add_pipe_option(CLI::App& app, std::string& pipe, double& timeout);

/// Prints the text `last` on this program's standard error. It is the end of what the candidate
/// wrote to its standard error (at most 64 KiB).
void print_candidate_errors(const std::string& last);

void add_accumulation_option(
    CLI::App& app, std::optional<verification::golden::corpus::Accumulation>& accumulation,
    const std::string& help);
void add_formula_option(CLI::App& app, verification::golden::tolerance::Formula& formula,
                        const std::string& help);
void add_cast_order_option(CLI::App& app, verification::golden::tolerance::CastOrder& order,
                           const std::string& help);
void add_loss_dtype_option(CLI::App& app, verification::golden::tolerance::LossDtype& dtype,
                           const std::string& help);
void add_scale_rounding_option(CLI::App& app, verification::golden::corpus::ScaleRounding& rounding,
                               const std::string& help);

}  // namespace normproof::verification::cli::golden
