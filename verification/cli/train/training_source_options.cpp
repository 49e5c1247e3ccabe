#include "verification/cli/train/training_source_options.hpp"

#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli::train {

void add_training_source(CLI::App& app, TrainingSource& source) {
  add_file(app, "--config", source.config,
           "Settings as JSON; those that it leaves out have their defaults (train --print-config)");
  add_settings(app, "--set", source.settings,
               "One setting, such as norm.name=power_norm; may be repeated, after --config",
               "KEY=VALUE", "norm.name=power_norm");
  add_seed(app, source.seed, "The same as --set training.seed=N");
  add_training_data(app, source);
}

void add_training_data(CLI::App& app, TrainingSource& source) {
  add_corpus_files(app, source.files);
  add_file(
      app, "--validation", source.validation,
      "Numbers of the sentences to validate on, from 0, a line each (default: a share of all)");
}

void add_languages(CLI::App& app, Languages& languages) {
  const TextRule rule{
      [](const std::string& text) { return !text.empty() && text.find('/') == std::string::npos; },
      "what files are called behind the dot, such as en"};
  add_text(
      app, "--source", languages.source,
      "Of pairs: the language that is translated, of the files train.LANGUAGE, dev.LANGUAGE and "
      "test.LANGUAGE in the folder of the pairs",
      "LANGUAGE", rule);
  add_text(app, "--target", languages.target, "The language that it is translated to", "LANGUAGE",
           rule);
}

void add_run(CLI::App& app, std::filesystem::path& folder, std::size_t& average) {
  require(add_folder(app, "--run", folder, "The folder that normproof train --out made"));
  add_number(
      app, "--average", average, 1, 1000,
      "The mean of the last K checkpoints, of a run with training.keep_checkpoints K or more "
      "(default: 1)",
      "K");
}

void add_initial_weights(CLI::App& app, std::optional<std::filesystem::path>& weights) {
  add_file(app, "--weights", weights,
           "Weights to begin with, as normproof weights writes them (default: random ones, by the "
           "seed)");
}

}  // namespace normproof::verification::cli::train
