#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verification/cli/corpus.hpp"

namespace CLI {
class App;
}

// Options that several commands have. They are defined here so that they are the same in all
// commands.
namespace normproof::verification::cli {

/// Returns the number of processors, but at most 1024. It is the default of --jobs and --threads.
int processor_count();

/// Adds the option --jobs. `what` names the things that run in parallel, such as "Claims".
void add_jobs_option(CLI::App& app, int& jobs, const std::string& what);
void add_jobs_option(CLI::App& app, std::optional<int>& jobs, const std::string& what);
void add_threads_option(CLI::App& app, int& threads);

/// Adds the option --seed, a 64-bit number. `what` says what the seed determines, such as "every
/// random choice".
void add_seed_option(CLI::App& app, std::uint64_t& seed, const std::string& what);
/// Adds the option --seed, which may be absent. `help` says what happens without the option.
void add_seed_option(CLI::App& app, std::optional<std::uint64_t>& seed, const std::string& help);

/// Adds the option --json to a command that prints its results.
void add_json_flag(CLI::App& app, bool& json);

/// Adds the options --data and --vocab.
void add_corpus_files_option(CLI::App& app, CorpusFiles& files);

}  // namespace normproof::verification::cli
