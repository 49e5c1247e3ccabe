#include "verification/cli/commands/training_source.hpp"

#include "ref/io/atomic_file.hpp"
#include "ref/io/tensor_file.hpp"

namespace normproof::verification::cli::commands {

training::RunConfig load_config(const TrainingSource& source) {
  training::RunConfig config;
  if (source.config)
    config = training::parse_config(ref::io::read_text(*source.config), source.config->string());
  for (const auto& [key, value] : source.settings) training::set_setting(config, key, value);
  if (source.seed) training::set_setting(config, "training.seed", std::to_string(*source.seed));
  return config;
}

TrainingData load_training_data(const TrainingSource& source, training::RunConfig& config) {
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

training::GivenWeights load_weights(const std::optional<std::filesystem::path>& file,
                                    const training::RunConfig& config) {
  if (!file) return std::nullopt;
  return training::from_pytorch(config.train.encoder, ref::io::read_tensors(*file), file->string());
}

}  // namespace normproof::verification::cli::commands
