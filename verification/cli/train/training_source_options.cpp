#include "verification/cli/train/training_source_options.hpp"

#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli::train {

void add_training_source(CLI::App& app, TrainingSource& source) {
  add_file_option(app, "--config", source.config,
                  "Settings as JSON; settings that are left out have their defaults (see train "
                  "--print-config)");
  add_settings(app, "--set", source.settings,
               "One setting, such as norm.name=power_norm; may be repeated, after --config",
               "KEY=VALUE", "norm.name=power_norm");
  add_seed_option(app, source.seed, "The same as --set training.seed=N");
  add_training_data(app, source);
}

void add_training_data(CLI::App& app, TrainingSource& source) {
  add_corpus_files_option(app, source.files);
  add_file_option(
      app, "--validation", source.validation,
      "A file with the numbers of the validation sentences, from 0, one per line (default: a "
      "share of all)");
}

void add_languages(CLI::App& app, LanguagePair& languages) {
  const TextConstraint rule{
      [](const std::string& text) { return !text.empty() && text.find('/') == std::string::npos; },
      "what files are called behind the dot, such as en"};
  add_text_option(
      app, "--source", languages.source,
      "For pairs: the source language, as in the files train.LANGUAGE, dev.LANGUAGE and "
      "test.LANGUAGE of the folder",
      "LANGUAGE", rule);
  add_text_option(app, "--target", languages.target, "For pairs: the target language", "LANGUAGE",
                  rule);
}

void add_run(CLI::App& app, std::filesystem::path& folder, std::size_t& average) {
  require(add_folder_option(app, "--run", folder, "The folder that 'normproof train --out' made"));
  add_number_option(
      app, "--average", average, 1, 1000,
      "Use the mean of the last K checkpoints; the run must have training.keep_checkpoints "
      "K or more (default: 1)",
      "K");
}

void add_initial_weights(CLI::App& app, std::optional<std::filesystem::path>& weights) {
  add_file_option(
      app, "--weights", weights,
      "Initial weights, as 'normproof weights' writes them (default: random ones, from the seed)");
}

}  // namespace normproof::verification::cli::train
