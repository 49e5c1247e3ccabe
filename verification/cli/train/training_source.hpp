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

/// The languages of a corpus of sentence pairs. They are the extensions of its files, such as "en".
struct LanguagePair {
  std::optional<std::string> source = {}, target = {};
};

/// The options that define the settings and the data of a training run.
struct TrainingSource {
  std::optional<std::filesystem::path> config = {};
  std::optional<training::Task> task = {};  ///< absent: the task of the file config, or classify
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< keys and values of --set
  std::optional<std::uint64_t> seed = {};  ///< value of the setting training.seed
  CorpusFiles files = {};
  /// A file with the indices of the validation sentences, one per line.
  std::optional<std::filesystem::path> validation = {};
  LanguagePair languages = {};  ///< languages of the sentence pairs
};

/// Returns the configuration: the defaults of the task, changed by the file `config`, then by
/// `settings`, then by `seed`.
/// Throws    UsageError, FileError
training::RunConfig load_config(const TrainingSource& source);

struct TrainingData {
  training::Dataset data;
  std::string corpus;  ///< name of the corpus
};

/// Loads the corpus, splits it, and sets the vocabulary size in `config`.
/// Throws    UsageError, also if the task is not classify; FileError
TrainingData load_training_data(const TrainingSource& source, training::RunConfig& config);

struct TextSource {
  training::TextData data;
  std::string name;  ///< name of the file, or "synthetic text"
};

/// Loads the text of --data, or the synthetic text. Splits it, and sets the size of the alphabet in
/// `config`.
/// Throws    UsageError if an option is given that a language model does not have, such as --vocab;
///           FileError
TextSource load_text_data(const TrainingSource& source, training::RunConfig& config);

/// Returns the text of the file, or the synthetic text, and its name.
/// Throws    FileError
std::pair<std::string, std::string> load_text(const std::optional<std::filesystem::path>& file);

struct PairSource {
  training::PairData data;
  std::string name;
};

/// Loads the sentence pairs of --data, or the synthetic pairs, and builds their vocabularies.
/// Throws    UsageError if an option is given that a translator does not have, such as --vocab;
///           FileError
PairSource load_pair_data(const TrainingSource& source, const training::RunConfig& config);

/// Returns the sentence pairs in a folder, or synthetic pairs, and their name. `option` is the name
/// of the option for error messages.
/// Throws    UsageError if some of folder, source language and target language are given, but not
///           all three, or if the two languages are the same; FileError
std::pair<ref::data::ParallelCorpus, std::string> load_pairs(
    const std::optional<std::filesystem::path>& folder, const LanguagePair& languages,
    const char* option = "--data", const ref::data::SyntheticPairCounts& synthetic = {});

/// Checks that languages are given only for a task that has languages.
/// Throws    UsageError if they are given for another task
void check_no_languages(const LanguagePair& languages, training::Task task);

/// Returns the initial weights that a file holds under PyTorch's names, or nothing if there is no
/// file.
/// Throws    UsageError, FileError
training::InitialWeights load_weights(const std::optional<std::filesystem::path>& file,
                                      const training::RunConfig& config);

}  // namespace normproof::verification::cli::train
