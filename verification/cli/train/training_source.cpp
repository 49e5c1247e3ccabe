#include "verification/cli/train/training_source.hpp"

#include <fmt/format.h>

#include "ref/data/synthetic_text.hpp"
#include "ref/data/text_file.hpp"
#include "ref/io/atomic_file.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::cli::train {

using ref::numeric::UsageError;

namespace {

/// Throws an error if options are given that only the task `classify` has.
void refuse_class_options(const TrainingSource& source, training::Task task) {
  for (const auto& [option, given] : {std::pair{"--vocab", source.files.vocab.has_value()},
                                      std::pair{"--validation", source.validation.has_value()}})
    if (given)
      throw UsageError(fmt::format("{} is given; expected none with --task {}", option,
                                   ref::model::print_field(task)));
}

}  // namespace

training::RunConfig load_config(const TrainingSource& source) {
  const training::Task task = source.task.value_or(training::Task::classify);
  training::RunConfig config = training::default_config(task);
  if (source.config)
    config =
        training::parse_config(ref::io::read_text(*source.config), source.config->string(), task);
  if (source.task && config.task != task)
    throw UsageError(fmt::format("--task is not that of {}; expected the task of the file, or none",
                                 source.config->string()));
  for (const auto& [key, value] : source.settings) training::set_setting(config, key, value);
  if (source.seed) training::set_setting(config, "training.seed", std::to_string(*source.seed));
  return config;
}

TrainingData load_training_data(const TrainingSource& source, training::RunConfig& config) {
  if (config.task != training::Task::classify)
    throw UsageError(
        fmt::format("the configuration has the task {}; expected classify: 'normproof train' alone "
                    "has the others",
                    ref::model::print_field(config.task)));
  check_no_languages(source.languages, config.task);
  const Corpus corpus = load_corpus(source.files);
  const std::vector<std::size_t> validation =
      source.validation
          ? training::parse_split(ref::io::read_text(*source.validation),
                                  source.validation->string(), corpus.tokenized.sequences.size())
          : std::vector<std::size_t>();
  TrainingData loaded{
      training::split({corpus.tokenized.sequences, corpus.tokenized.labels}, validation, config),
      corpus.name};
  loaded.data.vocab_size = corpus.tokenized.vocab_size;
  loaded.data.pad_id = corpus.tokenized.pad_id;
  config.train.encoder.vocab_size = loaded.data.vocab_size;
  return loaded;
}

std::pair<std::string, std::string> load_text(const std::optional<std::filesystem::path>& file) {
  if (!file) return {ref::data::synthetic_text(synthetic_seed), "synthetic text"};
  return {ref::data::read_bytes(*file), file->filename().string()};
}

TextSource load_text_data(const TrainingSource& source, training::RunConfig& config) {
  refuse_class_options(source, config.task);
  check_no_languages(source.languages, config.task);
  const auto [text, name] = load_text(source.files.data);
  TextSource loaded{training::split_text(text, name), name};
  const std::size_t to_predict = loaded.data.training.size() - 1;
  if (config.context > to_predict)
    ref::model::throw_invalid_value(
        "training.context", fmt::format("{}", config.context),
        fmt::format("{} at most, the characters to predict of what {} has to "
                    "train on",
                    to_predict, name));
  config.train.encoder.vocab_size = loaded.data.alphabet.size();
  config.train.encoder.num_classes = loaded.data.alphabet.size();
  return loaded;
}

PairSource load_pair_data(const TrainingSource& source, const training::RunConfig& config) {
  refuse_class_options(source, config.task);
  auto [text, name] = load_pairs(source.files.data, source.languages);
  return {training::add_vocabularies(std::move(text), config), std::move(name)};
}

std::pair<ref::data::ParallelCorpus, std::string> load_pairs(
    const std::optional<std::filesystem::path>& folder, const LanguagePair& languages,
    const char* option, const ref::data::SyntheticPairCounts& synthetic) {
  if (!folder && !languages.source && !languages.target)
    return {ref::data::synthetic_pair_corpus(synthetic_seed, synthetic), "synthetic pairs"};
  for (const auto& [name, given] :
       {std::pair{option, folder.has_value()}, std::pair{"--source", languages.source.has_value()},
        std::pair{"--target", languages.target.has_value()}})
    if (!given)
      throw UsageError(fmt::format(
          "{} is not given; expected all of {}, --source and --target, or none", name, option));
  const std::filesystem::path name =
      folder->has_filename() ? folder->filename() : folder->parent_path().filename();
  if (languages.source == languages.target)
    throw UsageError(fmt::format("--source and --target are both {}; expected two languages",
                                 *languages.source));
  return {ref::data::read_parallel_corpus(*folder, *languages.source, *languages.target),
          fmt::format("{}, {} to {}", name.string(), *languages.source, *languages.target)};
}

void check_no_languages(const LanguagePair& languages, training::Task task) {
  for (const auto& [option, given] : {std::pair{"--source", languages.source.has_value()},
                                      std::pair{"--target", languages.target.has_value()}})
    if (given)
      throw UsageError(fmt::format("{} is given; expected none but of the task translate, not {}",
                                   option, ref::model::print_field(task)));
}

training::InitialWeights load_weights(const std::optional<std::filesystem::path>& file,
                                      const training::RunConfig& config) {
  if (!file) return std::nullopt;
  return training::from_pytorch(config.train.encoder, ref::io::read_tensors(*file), file->string());
}

}  // namespace normproof::verification::cli::train
