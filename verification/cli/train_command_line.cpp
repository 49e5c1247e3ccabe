#include "verification/cli/train_command_line.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;

void add_train(CLI::App& app, TrainTexts& texts) {
  CLI::App& train = *app.add_subcommand(
      "train", "Train a Transformer encoder on sentences, with the same\nbits on every machine");
  train.add_option("--out", texts.out, "The folder of the run; it is not there yet, or --resume")
      ->type_name("DIR");
  train
      .add_option(
          "--config", texts.config,
          "Settings as JSON; those that it leaves out have their\ndefaults (--print-config)")
      ->type_name("FILE");
  train
      .add_option("--set", texts.settings,
                  "One setting, such as norm.name=power_norm; may be\nrepeated, after --config")
      ->type_name("KEY=VALUE");
  train.add_option("--seed", texts.seed, "The same as --set training.seed=N")->type_name("N");
  train
      .add_option("--data", texts.data,
                  "Sentences in the format of Financial PhraseBank\n(default: a made-up corpus)")
      ->type_name("FILE");
  train.add_option("--vocab", texts.vocab, "The WordPiece vocabulary to --data: vocab.txt")
      ->type_name("FILE");
  train
      .add_option("--validation", texts.validation,
                  "Numbers of the sentences to validate on, from 0, a line\neach (default: a share "
                  "of all, by the seed)")
      ->type_name("FILE");
  train
      .add_option(
          "--weights", texts.weights,
          "Weights to begin with, as normproof weights writes\nthem (default: random ones, by "
          "the seed)")
      ->type_name("FILE");
  train.add_flag("--resume", texts.resume,
                 "Go on after the last checkpoint in --out, to the same\nbits");
  train
      .add_option("--checkpoint-every", texts.checkpoint_every,
                  "A checkpoint each N steps too (default: at the end of\neach epoch alone)")
      ->type_name("N");
  train
      .add_option("--threads", texts.threads,
                  "Threads (default: the number of processors); no bit\ndepends on it")
      ->type_name("N");
  train.add_flag("--print-config", texts.print_config, "Print all settings, and do nothing else");
  train.footer(train_footer());
}

TrainCommand train_command(const CLI::App& command, const TrainTexts& texts) {
  TrainCommand train;
  train.print_config = texts.print_config;
  if (const auto out = path_of(command, "--out"))
    train.out = *out;
  else if (!train.print_config)
    throw UsageError("--out is not given; expected the folder of the run");
  train.config = path_of(command, "--config");
  for (const std::string& setting : texts.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(
          fmt::format("--set is '{}'; expected KEY=VALUE, such as norm.name=power_norm", setting));
    train.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (command.count("--seed") > 0) train.settings.emplace_back("training.seed", texts.seed);
  train.files = {path_of(command, "--data"), path_of(command, "--vocab")};
  train.validation = path_of(command, "--validation");
  train.resume = texts.resume;
  train.weights = path_of(command, "--weights");
  if (train.resume && train.weights)
    throw UsageError(
        "--weights is given with --resume; expected one of them: a run keeps the weights that it "
        "began with");
  train.checkpoint_every =
      parse_number<std::size_t>("--checkpoint-every", texts.checkpoint_every, 0, 1'000'000'000);
  train.threads = thread_count(command, "--threads", texts.threads);
  return train;
}

}  // namespace normproof::verification::cli
