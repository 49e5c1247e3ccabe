#include "verification/cli/shared_options.hpp"

#include <algorithm>
#include <limits>

#include "verification/cli/typed_options.hpp"
#include "verification/support/process/processors.hpp"

namespace normproof::verification::cli {

namespace {

constexpr int kMaxThreads = 1024;
constexpr auto kMaxSeed = std::numeric_limits<std::uint64_t>::max();

std::string jobs_help(const std::string& what) {
  return what +
         " at the same time (default: the number of processors); the results do not depend on it";
}

}  // namespace

int processor_count() {
  return std::min(support::process::usable_processors(), kMaxThreads);
}

void add_jobs_option(CLI::App& app, int& jobs, const std::string& what) {
  add_number_option(app, "--jobs", jobs, 1, kMaxThreads, jobs_help(what));
}

void add_jobs_option(CLI::App& app, std::optional<int>& jobs, const std::string& what) {
  add_number_option(app, "--jobs", jobs, 1, kMaxThreads, jobs_help(what));
}

void add_threads_option(CLI::App& app, int& threads) {
  add_number_option(app, "--threads", threads, 1, kMaxThreads,
                    "Threads (default: the number of processors); the bits do not depend on it");
}

void add_seed_option(CLI::App& app, std::uint64_t& seed, const std::string& what) {
  add_number_option(app, "--seed", seed, 0, kMaxSeed,
                    fmt::format("Seed of {} (default: {})", what, seed));
}

void add_seed_option(CLI::App& app, std::optional<std::uint64_t>& seed, const std::string& help) {
  add_number_option(app, "--seed", seed, 0, kMaxSeed, help);
}

void add_json_flag(CLI::App& app, bool& json) {
  add_flag(app, "--json", json, "Print JSON on standard output");
}

void add_corpus_files_option(CLI::App& app, CorpusFiles& files) {
  add_file_option(
      app, "--data", files.data,
      "Sentences in the format of Financial PhraseBank (ISO-8859-1, CR LF, sentence@label); "
      "default: a synthetic corpus");
  add_file_option(
      app, "--vocab", files.vocab,
      "WordPiece vocabulary, one token per line, such as vocab.txt of BERT; required with --data");
}

}  // namespace normproof::verification::cli
