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

/// The languages of a corpus of pairs, which are the extensions of its files, such as "en".
struct Languages {
  std::optional<std::string> source = {}, target = {};
};

/// The sources of the settings and the data of a training.
struct TrainingSource {
  std::optional<std::filesystem::path> config = {};
  std::optional<training::Task> task = {};  ///< absent: that of the file, or classify
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< key and value
  std::optional<std::uint64_t> seed = {};                          ///< the setting training.seed
  CorpusFiles files = {};
  /// A file of sentence indices, one per line.
  std::optional<std::filesystem::path> validation = {};
  Languages languages = {};  ///< languages of the pairs
};

/// Returns the defaults of the task, overridden by the file, then by the settings, then by the
/// seed.
/// Throws    UsageError, FileError
training::RunConfig load_config(const TrainingSource& source);

struct TrainingData {
  training::Dataset data;
  std::string corpus;  ///< its name
};

/// Loads and splits the corpus. Sets the vocabulary size in `config`.
/// Throws    UsageError, also if the task is not classify; FileError
TrainingData load_training_data(const TrainingSource& source, training::RunConfig& config);

struct TextSource {
  training::TextData data;
  std::string name;  ///< name of the file, or "synthetic text"
};

/// Loads and splits the text of --data, or the synthetic one. Sets the alphabet's size in `config`.
/// Throws    UsageError if the source has options that only sentences have; FileError
TextSource load_text_data(const TrainingSource& source, training::RunConfig& config);

/// Returns the bytes of the file, or the synthetic text, and its name.
/// Throws    FileError
std::pair<std::string, std::string> load_text(const std::optional<std::filesystem::path>& file);

struct PairSource {
  training::PairData data;
  std::string name;
};

/// Loads the pairs of --data, or the synthetic ones, with their vocabularies.
/// Throws    UsageError if the source has options that only sentences have; FileError
PairSource load_pair_data(const TrainingSource& source, const training::RunConfig& config);

/// Returns the pairs in the given folder, or synthetic ones, and their name.
/// Throws    UsageError if only some of the folder and the languages are given; FileError
std::pair<ref::data::ParallelCorpus, std::string> load_pairs(
    const std::optional<std::filesystem::path>& folder, const Languages& languages,
    const char* option = "--data", const ref::data::SyntheticPairCounts& synthetic = {});

/// Checks that no language is given for a task without languages.
/// Throws    UsageError if one is
void check_no_languages(const Languages& languages, training::Task task);

/// Returns the weights of the file, which has PyTorch's names; none without a file.
/// Throws    UsageError, FileError
training::InitialWeights load_weights(const std::optional<std::filesystem::path>& file,
                                      const training::RunConfig& config);

}  // namespace normproof::verification::cli::train
