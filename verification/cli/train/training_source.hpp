#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/data/synthetic_pairs.hpp"
#include "verification/cli/corpus.hpp"
#include "verification/training/dataset.hpp"
#include "verification/training/pair_data.hpp"
#include "verification/training/pytorch_weights.hpp"
#include "verification/training/text_data.hpp"

namespace normproof::verification::cli::train {

/// The languages of a corpus of pairs: what its files are called behind the dot, such as "en".
struct Languages {
  std::optional<std::string> source = {}, target = {};
};

/// Where the settings and the sentences of a training come from.
struct TrainingSource {
  std::optional<std::filesystem::path> config = {};
  std::optional<training::Task> task = {};  ///< absent: that of the file, or classify
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< key and value
  std::optional<std::uint64_t> seed = {};                          ///< the setting training.seed
  CorpusFiles files = {};
  std::optional<std::filesystem::path> validation = {};  ///< numbers of sentences, a line each
  Languages languages = {};                              ///< of pairs
};

/// The defaults of the task, then the file, then the settings, then the seed.
/// Throws    UsageError, FileError
training::RunConfig load_config(const TrainingSource& source);

struct TrainingData {
  training::Dataset data;
  std::string corpus;  ///< its name
};

/// The corpus, divided; `config` gets the extent of its vocabulary.
/// Throws    UsageError, also where the task is another one than classify; FileError
TrainingData load_training_data(const TrainingSource& source, training::RunConfig& config);

struct TextSource {
  training::TextData data;
  std::string name;  ///< of the file, or "synthetic text"
};

/// The text of --data, or the synthetic one, divided; `config` gets the extent of its alphabet.
/// Throws    UsageError where the source has options that sentences have alone; FileError
TextSource load_text_data(const TrainingSource& source, training::RunConfig& config);

/// The bytes of that file, or the synthetic text, and its name.
/// Throws    FileError
std::pair<std::string, std::string> load_text(const std::optional<std::filesystem::path>& file);

struct PairSource {
  training::PairData data;
  std::string name;
};

/// The pairs of --data, or the synthetic ones, and their words.
/// Throws    UsageError where the source has options that sentences have alone; FileError
PairSource load_pair_data(const TrainingSource& source, const training::RunConfig& config);

/// The pairs of the folder that the option gives, or else synthetic ones, and their name.
/// Throws    UsageError where one of folder and languages is given without the others; FileError
std::pair<ref::data::ParallelCorpus, std::string> load_pairs(
    const std::optional<std::filesystem::path>& folder, const Languages& languages,
    const char* option = "--data", const ref::data::SyntheticPairCounts& synthetic = {});

/// Throws    UsageError where a language is given, which a run of the task has none of
void refuse_languages(const Languages& languages, training::Task task);

/// The weights of that file, in PyTorch's names; none without a file.
/// Throws    UsageError, FileError
training::GivenWeights load_weights(const std::optional<std::filesystem::path>& file,
                                    const training::RunConfig& config);

}  // namespace normproof::verification::cli::train
