#include "verification/training/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/nan_sign.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/support/process/file_lock.hpp"
#include "verification/training/checkpoint.hpp"
#include "verification/training/classify_task.hpp"
#include "verification/training/kept_checkpoints.hpp"
#include "verification/training/metrics.hpp"
#include "verification/training/norm_statistics.hpp"
#include "verification/training/pytorch_weights.hpp"

namespace normproof::verification::training {

namespace fs = std::filesystem;
namespace train = ref::train;
using nlohmann::ordered_json;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using ref::tensor::Tensor;

namespace {

constexpr const char* kConfig = "config.json";
constexpr const char* kData = "data.json";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kCheckpoint = "checkpoint.safetensors";
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kWeightsHash = "weights";  // in data.json

/// The hash of the weights that the run in `out` began with, as its data.json has it, or empty.
std::string kept_hash(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out / kData, error)) return {};
  const auto data = ordered_json::parse(ref::io::read_text(out / kData), nullptr, false);
  return data.is_object() && data.contains(kWeightsHash) && data[kWeightsHash].is_string()
             ? data[kWeightsHash].get<std::string>()
             : std::string();
}

/// The weights that a run begins with, given or, where it is resumed, kept in its folder.
GivenWeights given_weights(const RunConfig& config, const RunOptions& options) {
  const std::string expected = options.resume ? kept_hash(options.out) : std::string();
  if (expected.empty()) return options.weights;
  const fs::path kept = options.out / kWeights;
  GivenWeights weights =
      from_pytorch(config.train.encoder, ref::io::read_tensors(kept), kept.string());
  if (hash_of_weights(weights) != expected)
    ref::io::file_failure(
        kept.string(), "the file", "was altered",
        fmt::format("the weights of sha256 {} that the run began with", expected));
  return weights;
}

/// "layers.0.norm1.y at [0, 1, 2] is nan", of the first tensor of the step that holds such a value;
/// "computed from layers.0.norm2.y", the last one shown before, where it is none of those that a
/// step shows.
std::optional<std::string> first_not_finite(const RunTask& task, std::size_t k,
                                            const train::TrainState<double>& state) {
  std::optional<std::string> found;
  std::string last;
  const auto look = [&](const std::string& name, const Tensor<double>& values) {
    for (std::size_t i = 0; i < values.size() && !found; ++i)
      if (!std::isfinite(values.data()[i]))
        found = fmt::format("{} at {} is {}", name,
                            ref::tensor::index_to_string(i, ref::tensor::shape_of(values)),
                            ref::numeric::without_nan_sign(values.data()[i]));
  };
  for (const auto& [name, values] : state.parameters)
    look(fmt::format("the parameter {}", name), values);
  auto copy = state;
  const ref::encoder::Tap<double> tap = [&](const std::string& name, const Tensor<double>& values) {
    look(name, values);
    last = name;
  };
  try {
    task.step(k, copy, tap);
  } catch (const ref::numeric::NotFiniteError&) {
    if (!found && !last.empty()) found = fmt::format("computed from {}", last);
  } catch (const ref::numeric::ContractError&) {
    // The step is run again because it fails: what it refuses has been said before.
  }
  return found;
}

/// One run, step after step.
class Run {
 public:
  Run(const RunConfig& config, RunTask& task, const RunOptions& options)
      : config_(config),
        task_(task),
        options_(options),
        steps_each_(task.steps_of_epoch()),
        begin_(given_weights(config, options)) {}

  /// A configuration that the first step refuses leaves no folder, and neither does one that could
  /// not be begun.
  RunSummary run() {
    try {
      return go_on(prepare());
    } catch (const UsageError&) {
      if (state_.step == 0) leave_nothing();
      throw;
    } catch (const FileError&) {
      std::error_code ignored;
      if (!fs::exists(options_.out / kConfig, ignored)) leave_nothing();
      throw;
    }
  }

 private:
  RunSummary go_on(const Checkpoint& start) {
    state_ = start.state;
    if (config_.keep_checkpoints > 1)
      keep_last(options_.out, config_.keep_checkpoints, static_cast<std::size_t>(state_.step));
    metrics_.emplace(options_.out / kMetrics, start.metrics);
    const auto total = config_.epochs * steps_each_;
    const auto done = static_cast<std::size_t>(state_.step);
    for (std::size_t epoch = done / steps_each_; epoch < config_.epochs; ++epoch) {
      task_.begin_epoch(epoch);
      for (std::size_t k = static_cast<std::size_t>(state_.step) - epoch * steps_each_;
           k < steps_each_; ++k) {
        take_step(k, epoch, total);
        const bool last = k + 1 == steps_each_;
        if (last) validate(epoch);
        if (last || (options_.checkpoint_every > 0 &&
                     static_cast<std::size_t>(state_.step) % options_.checkpoint_every == 0))
          write();
      }
    }
    if (done == total) {  // nothing was left to do
      summary_.sha256 = train::state_sha256(state_);
      summary_.training_loss = last_loss(options_.out / kMetrics);
      measure();
    }
    summary_.steps = static_cast<std::size_t>(state_.step);
    return summary_;
  }

  train::TrainState<double> initial_state() const {
    try {
      return task_.initial_state();
    } catch (const ref::numeric::ContractError& error) {
      throw UsageError(sentence_by_setting(config_, error));
    }
  }

  /// The checkpoint of the step, and beside it the last ones where the run is to keep them. One
  /// that is killed between the two writes both again.
  void write() const {
    const Checkpoint checkpoint{state_, metrics_->end(), identity()};
    const auto step = static_cast<std::size_t>(state_.step);
    if (config_.keep_checkpoints > 1)
      write_checkpoint(kept_checkpoint(options_.out, step), checkpoint);
    write_checkpoint(options_.out / kCheckpoint, checkpoint);
    if (config_.keep_checkpoints > 1) keep_last(options_.out, config_.keep_checkpoints, step);
  }

  Checkpoint prepare() {
    const fs::path& out = options_.out;
    const std::string config = config_json(config_),
                      data = task_.data_json(hash_of_weights(begin_));
    // What the configuration cannot be is refused before there is a folder.
    Checkpoint start{initial_state(), {}, {}};
    if (begin_) start.state.parameters = *begin_;
    std::error_code error;
    if (options_.resume && fs::exists(out / kConfig, error)) {
      take_folder();
      const bool has_checkpoint = fs::exists(out / kCheckpoint, error);
      if (has_checkpoint) check_unaltered();
      check_same(out / kConfig, config, "the configuration");
      check_same(out / kData, data, "the data");
      // The first one that is kept may stand without: a run was ended between the two.
      if (const auto kept = kept_steps(out); !has_checkpoint && kept.size() > 1)
        ref::io::file_failure((out / kCheckpoint).string(), "the file",
                              fmt::format("is absent, beside {}",
                                          kept_checkpoint(out, kept.back()).filename().string()),
                              "what the run wrote last, such as a copy of that one");
      if (has_checkpoint) return read_checkpoint(out / kCheckpoint, start.state);
    } else {
      make_folder();
      take_folder();
      if (fs::exists(out / kConfig, error)) another_is_there();  // begun and ended meanwhile
      if (begin_)
        ref::io::write_tensors(out / kWeights, to_pytorch(config_.train.encoder, *begin_));
      ref::io::write_file(out / kData, data);
      ref::io::write_file(out / kConfig, config);  // the last one: with it the folder is a run
    }
    return start;
  }

  [[noreturn]] void another_is_there() const {
    throw UsageError(
        fmt::format("--out {} is there already; expected the name of a new folder, or --resume",
                    options_.out.string()));
  }

  /// A new folder, or an empty one, or, to be resumed, one whose run was ended before it began.
  void make_folder() {
    const fs::path& out = options_.out;
    std::error_code error;
    const bool is_folder = fs::is_directory(out, error);
    if (options_.resume && !(is_folder && holds_a_beginning(out)))
      throw UsageError(fmt::format(
          "--resume: {} holds no run; expected one, or a run without --resume", out.string()));
    if (!options_.resume && fs::exists(out, error) && !(is_folder && fs::is_empty(out, error)))
      another_is_there();
    made_ = fs::create_directories(out, error);
    if (error)
      throw FileError(
          fmt::format("{}: the folder cannot be made ({}); expected one that can be "
                      "written",
                      out.string(), error.message()));
  }

  /// Nothing but what is written before config.json is.
  static bool holds_a_beginning(const fs::path& folder) {
    std::error_code error;
    return std::ranges::all_of(fs::directory_iterator(folder, error), [](const auto& entry) {
      const std::string name = entry.path().filename().string();
      return name == kData || name == kWeights || name.ends_with(".tmp");
    });
  }

  void take_folder() {
    if (auto held = support::process::FileLock::take_folder(options_.out)) {
      lock_.emplace(std::move(*held));
      return;
    }
    made_ = false;
    throw UsageError(fmt::format(
        "--out {}: another 'normproof train' is at work in it; expected another folder, or its end",
        options_.out.string()));
  }

  void leave_nothing() const {
    std::error_code ignored;
    if (made_) fs::remove_all(options_.out, ignored);
  }

  /// Whether config.json and data.json are those that the checkpoint knows.
  void check_unaltered() const {
    const fs::path& out = options_.out;
    if (run_sha256_of(out / kCheckpoint) !=
        ref::io::sha256(ref::io::read_text(out / kConfig) + ref::io::read_text(out / kData)))
      ref::io::file_failure((out / kCheckpoint).string(), "run_sha256",
                            "is of another configuration or of other data",
                            "that of config.json and data.json, which were altered");
  }

  /// What tells this run from another.
  std::string identity() const {
    return ref::io::sha256(config_json(config_) + task_.data_json(hash_of_weights(begin_)));
  }

  static void check_same(const fs::path& file, const std::string& text, const char* what) {
    if (ref::io::read_text(file) != text)
      throw UsageError(fmt::format(
          "--resume: {} is not that of the run in {}; expected the same, or another --out", what,
          file.string()));
  }

  void take_step(std::size_t k, std::size_t epoch, std::size_t total) {
    NormStatistics norms;
    const ref::encoder::Tap<double> tap(
        [&](const std::string& name, const Tensor<double>& values) { norms.see(name, values); },
        NormStatistics::asks_for);
    TaskStep taken;
    try {
      taken = task_.step(k, state_, tap);
    } catch (const ref::numeric::ContractError& error) {
      step_failure(config_, static_cast<std::size_t>(state_.step) + 1,
                   first_not_finite(task_, k, state_), error);
    }
    const train::StepResult<double>& result = taken.result;
    summary_.training_loss = result.loss;
    summary_.sha256 = train::state_sha256(state_);
    ordered_json line = {{"step", state_.step},
                         {"epoch", epoch + 1},
                         {"learning_rate", result.learning_rate},
                         {"loss", result.loss}};
    for (const auto& [name, value] : taken.qualities) line[name] = value;
    line["gradient_norm"] = result.gradient_norms.whole;
    line["gradient_norms"] = ordered_json::object();
    line["norms"] = norms.sites();
    for (const auto& [name, norm] : result.gradient_norms.of_tensors)
      line["gradient_norms"][name] = norm;
    if (const auto most = largest_weighted_gamma(config_, norms))
      line["max_weighted_gamma"] = *most;
    line["sha256"] = summary_.sha256;
    metrics_->add(line);
    if (options_.after_step)
      options_.after_step(
          {static_cast<std::size_t>(state_.step), total, epoch + 1, result.loss, taken.qualities});
  }

  void measure() {
    const TaskValidation found = task_.validate(state_);
    summary_.validation_loss = found.loss;
    summary_.validation = found.qualities;
  }

  void validate(std::size_t epoch) {
    measure();
    ordered_json line = {
        {"epoch", epoch + 1}, {"step", state_.step}, {"validation_loss", summary_.validation_loss}};
    for (const auto& [name, value] : summary_.validation)
      line[fmt::format("validation_{}", name)] = value;
    metrics_->add(line);
  }

  const RunConfig& config_;
  RunTask& task_;
  const RunOptions& options_;
  std::size_t steps_each_;
  GivenWeights begin_;
  train::TrainState<double> state_;
  std::optional<Metrics> metrics_;
  RunSummary summary_;
  bool made_ = false;  ///< the folder of this run, by this run
  std::optional<support::process::FileLock> lock_;
};

}  // namespace

bool blames_settings(std::size_t step, const std::optional<std::string>& found,
                     const ref::numeric::ContractError& refusal) {
  const bool not_finite =
      found || dynamic_cast<const ref::numeric::NotFiniteError*>(&refusal) != nullptr;
  return !not_finite && step == 1;
}

void step_failure(const RunConfig& config, std::size_t step,
                  const std::optional<std::string>& found,
                  const ref::numeric::ContractError& refusal) {
  if (blames_settings(step, found, refusal))
    throw UsageError(fmt::format("step 1: {}", sentence_by_setting(config, refusal)));
  throw RunFailure(
      fmt::format("step {}: {}{}", step,
                  found ? fmt::format("the first value that is not finite is {}; ", *found) : "",
                  sentence(refusal.breach())));
}

RunSummary run(const RunConfig& config, RunTask& task, const RunOptions& options) {
  return Run(config, task, options).run();
}

RunSummary run(const RunConfig& config, const Dataset& data, const RunOptions& options) {
  ClassifyTask task(config, data);
  return run(config, task, options);
}

double quality(const Qualities& qualities, std::string_view name) {
  const auto found = std::ranges::find(
      qualities, name, [](const auto& own) -> std::string_view { return own.first; });
  return found == qualities.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

}  // namespace normproof::verification::training
