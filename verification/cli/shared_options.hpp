#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verification/cli/corpus.hpp"

namespace CLI {
class App;
}

// The options that several commands have: each is made here, so that it is the same everywhere.
namespace normproof::verification::cli {

/// The number of processors, 1024 at most: what --jobs and --threads are where they are not given.
int processor_count();

/// --jobs: `what` is done at the same time, such as "Claims".
void add_jobs(CLI::App& app, int& jobs, const std::string& what);
void add_jobs(CLI::App& app, std::optional<int>& jobs, const std::string& what);
void add_threads(CLI::App& app, int& threads);

/// --seed, any 64-bit number; `what` it is of, such as "every random choice".
void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& what);
/// The same where it need not be given; `help` says what then.
void add_seed(CLI::App& app, std::optional<std::uint64_t>& seed, const std::string& help);

/// --json, of a command that prints what it found.
void add_json_flag(CLI::App& app, bool& json);

/// --data and --vocab
void add_corpus_files(CLI::App& app, CorpusFiles& files);

}  // namespace normproof::verification::cli
