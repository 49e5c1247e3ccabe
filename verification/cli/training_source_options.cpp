#include "verification/cli/training_source_options.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

void add_training_source(CLI::App& command, TrainingSourceTexts& texts) {
  command
      .add_option("--config", texts.config,
                  "Settings as JSON; those that it leaves out have their\ndefaults (train "
                  "--print-config)")
      ->type_name("FILE");
  command
      .add_option("--set", texts.settings,
                  "One setting, such as norm.name=power_norm; may be\nrepeated, after --config")
      ->type_name("KEY=VALUE");
  command.add_option("--seed", texts.seed, "The same as --set training.seed=N")->type_name("N");
  command
      .add_option("--data", texts.data,
                  "Sentences in the format of Financial PhraseBank\n(default: a made-up corpus)")
      ->type_name("FILE");
  command.add_option("--vocab", texts.vocab, "The WordPiece vocabulary to --data: vocab.txt")
      ->type_name("FILE");
  command
      .add_option("--validation", texts.validation,
                  "Numbers of the sentences to validate on, from 0, a line\neach (default: a share "
                  "of all, by the seed)")
      ->type_name("FILE");
}

void add_initial_weights(CLI::App& command, std::string& text) {
  command
      .add_option("--weights", text,
                  "Weights to begin with, as normproof weights writes\nthem (default: random ones, "
                  "by the seed)")
      ->type_name("FILE");
}

TrainingSource training_source_of(const CLI::App& command, const TrainingSourceTexts& texts) {
  TrainingSource source;
  source.config = path_of(command, "--config");
  for (const std::string& setting : texts.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ref::numeric::UsageError(
          fmt::format("--set is '{}'; expected KEY=VALUE, such as norm.name=power_norm", setting));
    source.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (command.count("--seed") > 0) source.settings.emplace_back("training.seed", texts.seed);
  source.files = {path_of(command, "--data"), path_of(command, "--vocab")};
  source.validation = path_of(command, "--validation");
  return source;
}

}  // namespace normproof::verification::cli
