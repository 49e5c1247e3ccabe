#include "verification/cli/train/train.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/train/train_page.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"
#include "verification/training/classify_task.hpp"
#include "verification/training/language_task.hpp"
#include "verification/training/run.hpp"
#include "verification/training/translate_task.hpp"

namespace normproof::verification::cli::train {

using ref::numeric::UsageError;
using support::report::clean_line;
using support::report::count_text;
using support::report::plural;
using training::quality;
using training::RunConfig;

namespace {

/// Returns the configuration of the run. It is read from the file of --config or from the folder of
/// the resumed run. If there is neither, it is the default configuration. Then the settings of the
/// command line change it.
RunConfig configuration(const TrainCommand& command) {
  TrainingSource source = command.source;
  const std::filesystem::path kept = command.out / "config.json";
  std::error_code ignored;
  if (!source.config && command.resume && std::filesystem::exists(kept, ignored)) {
    source.config = kept;
    const training::Task task =
        training::parse_config(ref::io::read_text(kept), kept.string()).task;
    if (source.task.value_or(task) != task)
      throw UsageError(
          fmt::format("--task is not that of the run in {}; expected its own, or no --task",
                      command.out.string()));
    source.task = task;
  }
  return load_config(source);
}

void refuse_weights(const TrainCommand& command, training::Task task) {
  if (command.weights && task != training::Task::classify)
    throw UsageError(fmt::format("--weights is given with --task {}; expected one of them",
                                 ref::model::print_field(task)));
}

/// Estimates the remaining time from the time that the completed steps took, and returns it as
/// text: "12 s left".
class RemainingTime {
 public:
  std::string after(std::size_t done, std::size_t total) {
    if (steps_++ == 0) first_ = done;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double rate = static_cast<double>(done - first_ + 1) / seconds;
    return fmt::format("{:.3g} steps/s, {:.0f} s left", rate,
                       static_cast<double>(total - done) / rate);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t steps_ = 0, first_ = 1;
};

std::string translator_memory_error_text(const RunConfig& config) {
  const auto& model = config.translator;
  return fmt::format(
      "the memory does not suffice for a translator of encoder.num_layers {}, decoder.num_layers "
      "{}, model.d_model {}, encoder.d_ff {}, decoder.d_ff {} and batches of training.batch_size "
      "{} pairs",
      model.encoder.num_layers, model.decoder.num_layers, model.d_model, model.encoder.d_ff,
      model.decoder.d_ff, config.batch_size);
}

/// Returns an error message for a lack of memory. It names the settings that the user can reduce.
std::string memory_error_text(const RunConfig& config) {
  if (config.task == training::Task::translate) return translator_memory_error_text(config);
  const auto& encoder = config.train.encoder;
  std::string rows = "sentences";
  if (config.task == training::Task::language)
    rows = fmt::format("contexts of training.context {}", config.context);
  else if (config.fixed_length)
    rows += fmt::format(" of training.fixed_length {}", *config.fixed_length);
  return fmt::format(
      "the memory does not suffice for an encoder of encoder.num_layers {}, encoder.d_model {}, "
      "encoder.d_ff {} and batches of training.batch_size {} {}",
      encoder.num_layers, encoder.d_model, encoder.d_ff, config.batch_size, rows);
}

training::RunSummary train_to_end(const TrainCommand& command, const RunConfig& config,
                                  training::RunTask& task) {
  ProgressBar progress;
  RemainingTime time;
  try {
    return training::run(
        config, task,
        {.out = command.out,
         .resume = command.resume,
         .checkpoint_every = command.checkpoint_every,
         .weights = load_weights(command.weights, config),
         .after_step = [&](const training::RunProgress& p) {
           progress.show(
               "training", p.step, p.steps,
               fmt::format("loss {:.4f}, {} {:.3f}, {}", p.loss, p.qualities.front().first,
                           p.qualities.front().second, time.after(p.step, p.steps)));
         }});
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(memory_error_text(config));
  }
}

void write_page(const TrainCommand& command, const RunConfig& config) {
  ref::io::write_file(command.out / "page.html",
                      train_page(ref::io::read_text(command.out / "metrics.jsonl"), config));
}

std::string train_classes(const TrainCommand& command, RunConfig config) {
  const TrainingData loaded = load_training_data(command.source, config);
  training::ClassifyTask task(config, loaded.data);
  const training::RunSummary trained = train_to_end(command, config, task);
  return fmt::format(
      "{}: {}, {} to train on, {} to validate on\n"
      "training loss {:.4f}; validation loss {:.4f}, accuracy {:.4f}, macro-F1 {:.4f}\n"
      "sha256 {}\n",
      clean_line(loaded.corpus), plural(trained.steps, "step"),
      count_text(loaded.data.training.sequences.size()),
      count_text(loaded.data.validation.sequences.size()), trained.training_loss,
      trained.validation_loss, quality(trained.validation, "accuracy"),
      quality(trained.validation, "macro_f1"), trained.sha256);
}

std::string train_language(const TrainCommand& command, RunConfig config) {
  const TextSource loaded = load_text_data(command.source, config);
  training::LanguageTask task(config, loaded.data);
  const training::RunSummary trained = train_to_end(command, config, task);
  return fmt::format(
      "{}: {}, {} characters to train on, {} to validate on, of {}\n"
      "training loss {:.4f}; validation loss {:.4f}, perplexity {:.4f}, bits per character {:.4f}\n"
      "sha256 {}\n",
      clean_line(loaded.name), plural(trained.steps, "step"),
      count_text(loaded.data.training.size()), count_text(loaded.data.validation.size()),
      loaded.data.alphabet.size(), trained.training_loss, trained.validation_loss,
      quality(trained.validation, "perplexity"), quality(trained.validation, "bits_per_character"),
      trained.sha256);
}

std::string train_translator(const TrainCommand& command, const RunConfig& config) {
  const PairSource loaded = load_pair_data(command.source, config);
  training::TranslateTask task(config, loaded.data);
  const training::RunSummary trained = train_to_end(command, config, task);
  const double bleu = quality(trained.validation, "bleu");
  return fmt::format(
      "{}: {}, {} to train on, {} to validate on, of {} and {} words\n"
      "training loss {:.4f}; validation loss {:.4f}, perplexity {:.4f}{}\n"
      "sha256 {}\n",
      clean_line(loaded.name), plural(trained.steps, "step"),
      plural(loaded.data.text.training.source.size(), "pair"),
      count_text(loaded.data.text.validation.source.size()),
      count_text(loaded.data.words.source.size()), count_text(loaded.data.words.target.size()),
      trained.training_loss, trained.validation_loss, quality(trained.validation, "perplexity"),
      std::isnan(bleu) ? "" : fmt::format(", BLEU {:.2f}", bleu), trained.sha256);
}

std::string train_task(const TrainCommand& command, const RunConfig& config) {
  switch (config.task) {
    case training::Task::language:
      return train_language(command, config);
    case training::Task::translate:
      return train_translator(command, config);
    case training::Task::classify:
      break;
  }
  return train_classes(command, config);
}

}  // namespace

void TrainCommand::add(CLI::App& app) {
  add_choice_option<std::optional<training::Task>, training::Task>(
      app, "--task", source.task,
      {{"classify", training::Task::classify},
       {"language", training::Task::language},
       {"translate", training::Task::translate}},
      "Predict one class per sentence (default), the next character of a text, or a translation");
  add_folder_option(app, "--out", out,
                    "The folder of the run; it must be new or empty, except with --resume");
  add_training_source(app, source);
  add_languages(app, source.languages);
  add_initial_weights(app, weights);
  add_flag(app, "--resume", resume,
           "Continue after the last checkpoint in --out, with the same bits");
  add_number_option(
      app, "--checkpoint-every", checkpoint_every, 0, 1'000'000'000,
      "Also write a checkpoint every N steps (default: only at the end of each epoch); give "
      "it again with --resume");
  add_threads_option(app, threads);
  add_flag(app, "--print-config", print_config, "Print all settings and exit");
  check_after_parsing(app, [this] {
    if (out.empty() && !print_config)
      throw UsageError("--out is not given; expected the folder of the run");
    if (resume && weights)
      throw UsageError(
          "--weights is given with --resume; expected one of them: a run keeps the weights that it "
          "began with");
    refuse_weights(*this, source.task.value_or(training::Task::classify));
  });
  set_footer(
      app,
      R"(Writes config.json, data.json, metrics.jsonl (one line per step with loss, accuracy, the norm of
every gradient, the statistics of every norm and the SHA-256 of the state), checkpoint.safetensors
and page.html. The hashes are the same for every machine, compiler and number of threads.
Exit status 1 if a value is no longer finite: the message names the step and the tensor.
With --task language, --data is a text in UTF-8 (default: a synthetic text). With --task translate,
--data is a folder of pairs (default: synthetic pairs).

Examples:
  normproof train --out run
  normproof train --out run --set norm.name=power_norm --set encoder.num_layers=2
  normproof train --out run --data Sentences_AllAgree.txt --vocab vocab.txt
  normproof train --out run --task language --data input.txt
  normproof train --out run --task translate --data pairs --source ja --target en
  normproof train --out run --resume)");
}

Output TrainCommand::run() const {
  const RunConfig config = configuration(*this);
  if (print_config) return printed(training::whole_config_json(config));
  refuse_weights(*this, config.task);
  ref::numeric::set_num_threads(threads);
  std::string trained = train_task(*this, config);
  write_page(*this, config);
  return printed(std::move(trained));
}

}  // namespace normproof::verification::cli::train
