#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/corpus.hpp"
#include "verification/training/dataset.hpp"
#include "verification/training/pytorch_weights.hpp"

namespace normproof::verification::cli::commands {

/// Where the settings and the sentences of a training come from.
struct TrainingSource {
  std::optional<std::filesystem::path> config = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< key and value
  std::optional<std::uint64_t> seed = {};                          ///< the setting training.seed
  CorpusFiles files = {};
  std::optional<std::filesystem::path> validation = {};  ///< numbers of sentences, a line each
};

/// The defaults, then the file, then the settings, then the seed.
/// Throws    UsageError, FileError
training::RunConfig load_config(const TrainingSource& source);

struct TrainingData {
  training::Dataset data;
  std::string corpus;  ///< its name
};

/// The corpus, divided; `config` gets the extent of its vocabulary.
/// Throws    UsageError, FileError
TrainingData load_training_data(const TrainingSource& source, training::RunConfig& config);

/// The weights of that file, in PyTorch's names; none without a file.
/// Throws    UsageError, FileError
training::GivenWeights load_weights(const std::optional<std::filesystem::path>& file,
                                    const training::RunConfig& config);

}  // namespace normproof::verification::cli::commands
