#include "verification/cli/gpu/gpu_train.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/model/norm_layers.hpp"
#include "ref/model/norm_options.hpp"
#include "ref/model/train_options.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::gpu {

using checks::agreement::TrainingTask;
using support::report::plural;

namespace {

/// Adds an option that accepts only the names for which `find_options` succeeds.
template <class FindOptions>
void add_known_name_option(CLI::App& app, const std::string& name, std::string& field,
                           FindOptions find_options, const std::string& help,
                           const std::string& type) {
  const auto parse = [find_options](const std::string& text) {
    find_options(text);
    return text;
  };
  const auto print = [](const std::string& text) { return text; };
  add_value_option(app, name, field, parse, print, help, type);
}

}  // namespace

void GpuTrainCommand::add(CLI::App& app) {
  add_device_option(app, device);
  add_choice_option(
      app, "--task", task,
      {{"classify", TrainingTask::classes},
       {"language", TrainingTask::language},
       {"translate", TrainingTask::translation}},
      "classify (default): an encoder with a class head; language: a causal one with a tied "
      "head; translate: an encoder and a decoder");
  add_known_name_option(app, "--norm", norm, ref::model::norm_options,
                        "The norm layer (default: layer_norm); one with statistics over sentences "
                        "requires --task classify",
                        "NORM");
  add_flag(app, "--scaled-embedding", scaled_embedding,
           "Multiply each embedding by sqrt(d_model) before positions are added");
  add_known_name_option(app, "--optimizer", optimizer, ref::model::optimizer_options,
                        "sgd (default), adam or adamw", "NAME");
  add_number_option(app, "--steps", steps, 1, 1'000'000, "Steps of training (default: 10)");
  add_seed_option(app, seed, "weights, data and dropout");
  add_jobs_option(app, jobs, "Threads of the reference");
  reports.add(app);
  set_footer(
      app,
      R"(Prints the loss of each step, then the SHA-256 of the parameters and running statistics after the
last step, for the device and for the reference. Exit status 1 if they differ.

Examples:
  normproof gpu train --norm power_norm --optimizer adam --steps 50
  normproof gpu train --task translate --optimizer adam)");
}

void GpuTrainCommand::check_task() const {
  if (task == TrainingTask::classes ||
      !norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample())
    return;
  throw ref::numeric::UsageError(fmt::format(
      "--norm is '{}'; expected one without statistics over a sentence, or --task classify", norm));
}

Output GpuTrainCommand::run() const {
  checks::agreement::TrainingRun trajectory;
  trajectory.task = task;
  trajectory.steps = steps;
  auto& config = trajectory.config;
  config.encoder = {.vocab_size = 50,
                    .d_model = 16,
                    .num_heads = 4,
                    .d_ff = 32,
                    .num_layers = 2,
                    .num_classes = 3,
                    .norm = ref::model::norm_options(norm),
                    .scaled_embedding = scaled_embedding};
  if (task == TrainingTask::language) {
    config.encoder.causal = config.encoder.tied_head = true;
    config.encoder.pooling = ref::model::Pooling::per_position;
    config.encoder.num_classes = config.encoder.vocab_size;
  }
  const ref::model::LayersConfig side{.num_heads = 4,
                                      .d_ff = 32,
                                      .num_layers = 2,
                                      .norm = config.encoder.norm,
                                      .final_norm = config.encoder.norm};
  trajectory.translator = {.source_vocab_size = 50,
                           .target_vocab_size = 40,
                           .d_model = 16,
                           .encoder = side,
                           .decoder = side,
                           .scaled_embedding = scaled_embedding};
  if (task != TrainingTask::classes) config.loss.label_smoothing = 0.1;
  config.optimizer = ref::model::optimizer_options(optimizer);
  config.learning_rate =
      std::holds_alternative<ref::model::SgdOptions>(config.optimizer) ? 0.1 : 0.001;
  config.seed = seed;
  check_task();
  const auto opened = open_rank_device(device, seed);
  ref::numeric::set_num_threads(jobs);
  const char* const model = task == TrainingTask::language      ? "a language model, "
                            : task == TrainingTask::translation ? "a translator, "
                                                                : "";
  const std::string settings = fmt::format("{}{}{} with {}, {}, seed {}", model, norm,
                                           scaled_embedding ? ", scaled embeddings" : "", optimizer,
                                           plural(static_cast<std::size_t>(steps), "step"), seed);
  std::string heading = settings + "\n";
  support::report::Table losses = support::report::numbers_table("", {}, {"step", "loss"});
  const std::string there =
      run_training_on_device(*opened, trajectory, [&](std::int64_t step, double loss) {
        losses.rows.push_back({{{std::to_string(step)}, {fmt::format("{:.17g}", loss)}}});
        // The heading is printed together with the first step, so that an error before it prints
        // nothing.
        write_stdout(
            fmt::format("{}step {:>4}  loss {:.17g}\n", std::exchange(heading, ""), step, loss));
      });
  const std::string here = run_training_on_ref(trajectory, [](std::int64_t, double) {});
  const bool same = here == there;
  const std::string device_hash =
      fmt::format("sha256 {} on the device ({})", there, to_string(device));
  const std::string reference_hash = fmt::format(
      "sha256 {} by ref: {}", here, same ? "the same trajectory" : "another trajectory");
  support::report::Document document{"normproof: a training on the device and by the reference"};
  document.add(support::report::Paragraph{settings});
  document.add(std::move(losses));
  document.add(support::report::Paragraph{device_hash});
  document.add(support::report::Paragraph{
      reference_hash, same ? support::report::Tone::good : support::report::Tone::bad});
  return {.status = same ? kSuccess : kNumericalFailure,
          .document = document,
          .text = fmt::format("{}\n{}\n", device_hash, reference_hash)};
}

}  // namespace normproof::verification::cli::gpu
