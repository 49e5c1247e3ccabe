#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verification/cli/corpus.hpp"

namespace CLI {
class App;
}

// Options that several commands have. Each is defined here, so that it is the same everywhere.
namespace normproof::verification::cli {

/// Returns the number of processors, at most 1024: the default of --jobs and --threads.
int processor_count();

/// Adds --jobs. `what` names the things done in parallel, such as "Claims".
void add_jobs(CLI::App& app, int& jobs, const std::string& what);
void add_jobs(CLI::App& app, std::optional<int>& jobs, const std::string& what);
void add_threads(CLI::App& app, int& threads);

/// Adds --seed, any 64-bit number. `what` names its use, such as "every random choice".
void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& what);
/// Adds --seed as an option that may be absent; `help` describes that case.
void add_seed(CLI::App& app, std::optional<std::uint64_t>& seed, const std::string& help);

/// Adds --json, for a command that prints its findings.
void add_json_flag(CLI::App& app, bool& json);

/// Adds --data and --vocab.
void add_corpus_files(CLI::App& app, CorpusFiles& files);

}  // namespace normproof::verification::cli
