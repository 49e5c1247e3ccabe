#include "verification/cli/train.hpp"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <system_error>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/cli/train_page.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::cli {

using training::RunConfig;

namespace {

/// That of --config, or of the run that is resumed, or the defaults; then the settings.
RunConfig configuration(const TrainCommand& command) {
  TrainingSource source = command.source;
  const std::filesystem::path kept = command.out / "config.json";
  std::error_code ignored;
  if (!source.config && command.resume && std::filesystem::exists(kept, ignored))
    source.config = kept;
  return load_config(source);
}

/// "12 s left", from what the steps so far have taken.
class TimeLeft {
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

/// What a user can make smaller.
std::string too_large(const RunConfig& config) {
  const auto& encoder = config.train.encoder;
  return fmt::format(
      "the memory does not suffice for an encoder of encoder.num_layers {}, encoder.d_model {}, "
      "encoder.d_ff {} and batches of training.batch_size {} sentences{}",
      encoder.num_layers, encoder.d_model, encoder.d_ff, config.batch_size,
      config.fixed_length ? fmt::format(" of training.fixed_length {}", *config.fixed_length) : "");
}

training::RunSummary train_to_end(const TrainCommand& command, const RunConfig& config,
                                  const training::Dataset& data) {
  ProgressBar progress;
  TimeLeft time;
  try {
    return training::run(config, data,
                         {.out = command.out,
                          .resume = command.resume,
                          .checkpoint_every = command.checkpoint_every,
                          .weights = load_weights(command.weights, config),
                          .after_step = [&](const training::RunProgress& p) {
                            progress.show("training", p.step, p.steps,
                                          fmt::format("loss {:.4f}, accuracy {:.3f}, {}", p.loss,
                                                      p.accuracy, time.after(p.step, p.steps)));
                          }});
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(too_large(config));
  }
}

}  // namespace

void train(const TrainCommand& command) {
  RunConfig config = configuration(command);
  if (command.print_config) {
    write_stdout(training::config_json(config));
    return;
  }
  ref::numeric::set_num_threads(command.threads);
  const TrainingData loaded = load_training_data(command.source, config);
  const training::Dataset& data = loaded.data;
  const training::RunSummary summary = train_to_end(command, config, data);
  const std::filesystem::path page = command.out / "page.html";
  ref::io::write_file(page, train_page(ref::io::read_text(command.out / "metrics.jsonl"), config));
  write_stdout(fmt::format(
      "{}: {}, {} to train on, {} to validate on\n"
      "training loss {:.4f}; validation loss {:.4f}, accuracy {:.4f}, macro-F1 {:.4f}\n"
      "sha256 {}\n",
      clean_line(loaded.corpus), plural(summary.steps, "step"),
      count_text(data.training.sequences.size()), count_text(data.validation.sequences.size()),
      summary.training_loss, summary.validation_loss, summary.validation.accuracy,
      summary.validation.macro_f1, summary.sha256));
}

}  // namespace normproof::verification::cli
