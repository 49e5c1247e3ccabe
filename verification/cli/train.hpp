#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/corpus.hpp"

namespace normproof::verification::cli {

struct TrainCommand {
  std::filesystem::path out = {};
  std::optional<std::filesystem::path> config = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< key and value
  CorpusFiles files = {};
  std::optional<std::filesystem::path> validation = {};  ///< numbers of sentences, a line each
  std::optional<std::filesystem::path> weights = {};     ///< to begin with, in PyTorch's names
  bool resume = false;
  bool print_config = false;
  std::size_t checkpoint_every = 0;  ///< steps; 0: at the end of each epoch
  int threads = 1;
};

/// Trains an encoder on a corpus: see training::run. Writes page.html beside its files at the end,
/// and on standard output what came of it, the hash of the last state in a line of its own. With
/// print_config the configuration, and nothing else.
/// Throws    UsageError, FileError, training::RunFailure
void train(const TrainCommand& command);

}  // namespace normproof::verification::cli
