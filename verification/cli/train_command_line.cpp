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
  train
      .add_option("--out", texts.out,
                  "The folder of the run; not there yet, or empty, or with\n--resume")
      ->type_name("DIR");
  add_training_source(train, texts.source);
  add_initial_weights(train, texts.weights);
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
  train.source = training_source_of(command, texts.source);
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
