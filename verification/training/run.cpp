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
// key of the hash of the initial weights in data.json
constexpr const char* kWeightsHash = "weights";

/// Returns the hash of the initial weights from data.json in `out`, or an empty text if data.json
/// has none.
std::string read_weights_hash(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out / kData, error)) return {};
  const auto data = ordered_json::parse(ref::io::read_text(out / kData), nullptr, false);
  return data.is_object() && data.contains(kWeightsHash) && data[kWeightsHash].is_string()
             ? data[kWeightsHash].get<std::string>()
             : std::string();
}

/// Returns the user-supplied initial weights of a run. A new run has them in its options; a resumed
/// run reads them from its folder.
InitialWeights load_initial_weights(const RunConfig& config, const RunOptions& options) {
  const std::string expected = options.resume ? read_weights_hash(options.out) : std::string();
  if (expected.empty()) return options.weights;
  const fs::path kept = options.out / kWeights;
  InitialWeights weights =
      from_pytorch(config.train.encoder, ref::io::read_tensors(kept), kept.string());
  if (hash_weights(weights) != expected)
    ref::io::file_failure(
        kept.string(), "the file", "was altered",
        fmt::format("the weights of sha256 {} that the run began with", expected));
  return weights;
}

/// Repeats training step k. Returns the first non-finite value among the parameters and the tensors
/// that the step computes, for example "layers.0.norm1.y at [0, 1, 2] is nan". If the step stops
/// with a NotFiniteError although these values are finite, returns "computed from
/// layers.0.norm2.y", with the name of the last computed tensor. Otherwise returns nothing.
std::optional<std::string> find_first_non_finite(const RunTask& task, std::size_t k,
                                                 const train::TrainState<double>& state) {
  std::optional<std::string> found;
  std::string last;
  const auto inspect_tensor = [&](const std::string& name, const Tensor<double>& values) {
    for (std::size_t i = 0; i < values.size() && !found; ++i)
      if (!std::isfinite(values.data()[i]))
        found = fmt::format("{} at {} is {}", name,
                            ref::tensor::index_to_string(i, ref::tensor::shape_of(values)),
                            ref::numeric::remove_nan_signs(values.data()[i]));
  };
  for (const auto& [name, values] : state.parameters)
    inspect_tensor(fmt::format("the parameter {}", name), values);
  auto copy = state;
  const ref::encoder::TensorTap<double> tap = [&](const std::string& name,
                                                  const Tensor<double>& values) {
    inspect_tensor(name, values);
    last = name;
  };
  try {
    task.step(k, copy, tap);
  } catch (const ref::numeric::NotFiniteError&) {
    if (!found && !last.empty()) found = fmt::format("computed from {}", last);
  } catch (const ref::numeric::ContractError&) {
    // The caller has already reported the error of this step; it occurs again when the step is
    // repeated.
  }
  return found;
}

/// One training run: creates or resumes its folder, and trains to the last step.
class Run {
 public:
  Run(const RunConfig& config, RunTask& task, const RunOptions& options)
      : config_(config),
        task_(task),
        options_(options),
        steps_per_epoch_(task.steps_per_epoch()),
        initial_weights_(load_initial_weights(config, options)) {}

  /// Trains to the last step. If the configuration turns out to be invalid or the run cannot be
  /// started, the folder that this run created is removed.
  RunSummary run() {
    try {
      return continue_from_checkpoint(prepare());
    } catch (const UsageError&) {
      if (state_.step == 0) remove_created_folder();
      throw;
    } catch (const FileError&) {
      std::error_code ignored;
      if (!fs::exists(options_.out / kConfig, ignored)) remove_created_folder();
      throw;
    }
  }

 private:
  RunSummary continue_from_checkpoint(const Checkpoint& start) {
    state_ = start.state;
    if (config_.keep_checkpoints > 1)
      remove_old_checkpoints(options_.out, config_.keep_checkpoints,
                             static_cast<std::size_t>(state_.step));
    metrics_.emplace(options_.out / kMetrics, start.metrics);
    const auto total = config_.epochs * steps_per_epoch_;
    const auto done = static_cast<std::size_t>(state_.step);
    for (std::size_t epoch = done / steps_per_epoch_; epoch < config_.epochs; ++epoch) {
      task_.begin_epoch(epoch);
      for (std::size_t k = static_cast<std::size_t>(state_.step) - epoch * steps_per_epoch_;
           k < steps_per_epoch_; ++k) {
        take_step(k, epoch, total);
        const bool last = k + 1 == steps_per_epoch_;
        if (last) validate(epoch);
        if (last || (options_.checkpoint_every > 0 &&
                     static_cast<std::size_t>(state_.step) % options_.checkpoint_every == 0))
          write();
      }
    }
    // An earlier call already finished the run.
    if (done == total) {
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
      throw UsageError(name_setting_in_error(config_, error));
    }
  }

  /// Writes checkpoint.safetensors. If config.keep_checkpoints is above 1, it also writes the kept
  /// checkpoint of this step first, and removes older ones. If the process is killed between these
  /// writes, the resumed run repeats them.
  void write() const {
    const Checkpoint checkpoint{state_, metrics_->end(), identity()};
    const auto step = static_cast<std::size_t>(state_.step);
    if (config_.keep_checkpoints > 1)
      write_checkpoint(kept_checkpoint_path(options_.out, step), checkpoint);
    write_checkpoint(options_.out / kCheckpoint, checkpoint);
    if (config_.keep_checkpoints > 1)
      remove_old_checkpoints(options_.out, config_.keep_checkpoints, step);
  }

  Checkpoint prepare() {
    const fs::path& out = options_.out;
    const std::string config = config_json(config_),
                      data = task_.data_json(hash_weights(initial_weights_));
    // An invalid configuration is rejected before a folder is created.
    Checkpoint start{initial_state(), {}, {}};
    if (initial_weights_) start.state.parameters = *initial_weights_;
    std::error_code error;
    if (options_.resume && fs::exists(out / kConfig, error)) {
      acquire_folder();
      const bool has_checkpoint = fs::exists(out / kCheckpoint, error);
      if (has_checkpoint) check_unaltered();
      check_same(out / kConfig, config, "the configuration");
      check_same(out / kData, data, "the data");
      // The folder may hold one kept checkpoint without checkpoint.safetensors, if the run was
      // ended between the two writes.
      if (const auto kept = list_kept_steps(out); !has_checkpoint && kept.size() > 1)
        ref::io::file_failure(
            (out / kCheckpoint).string(), "the file",
            fmt::format("is absent, beside {}",
                        kept_checkpoint_path(out, kept.back()).filename().string()),
            "what the run wrote last, such as a copy of that one");
      if (has_checkpoint) return read_checkpoint(out / kCheckpoint, start.state);
    } else {
      make_folder();
      acquire_folder();
      // Another process started and finished a run in this folder in the meantime.
      if (fs::exists(out / kConfig, error)) reject_existing_folder();
      if (initial_weights_)
        ref::io::write_tensors(out / kWeights,
                               to_pytorch(config_.train.encoder, *initial_weights_));
      ref::io::write_file(out / kData, data);
      // config.json is written last: a folder that has this file holds a started run.
      ref::io::write_file(out / kConfig, config);
    }
    return start;
  }

  [[noreturn]] void reject_existing_folder() const {
    throw UsageError(
        fmt::format("--out {} is there already; expected the name of a new folder, or --resume",
                    options_.out.string()));
  }

  /// Creates the folder of the run. A new run also accepts an empty folder. A resumed run has no
  /// config.json when this function is called: then the folder must exist and must hold only files
  /// that a run writes before config.json.
  void make_folder() {
    const fs::path& out = options_.out;
    std::error_code error;
    const bool is_folder = fs::is_directory(out, error);
    if (options_.resume && !(is_folder && holds_unstarted_run(out)))
      throw UsageError(fmt::format(
          "--resume: {} holds no run; expected one, or a run without --resume", out.string()));
    if (!options_.resume && fs::exists(out, error) && !(is_folder && fs::is_empty(out, error)))
      reject_existing_folder();
    created_folder_ = fs::create_directories(out, error);
    if (error)
      throw FileError(
          fmt::format("{}: the folder cannot be made ({}); expected one that can be "
                      "written",
                      out.string(), error.message()));
  }

  /// Whether the folder holds only files that are written before config.json.
  static bool holds_unstarted_run(const fs::path& folder) {
    std::error_code error;
    return std::ranges::all_of(fs::directory_iterator(folder, error), [](const auto& entry) {
      const std::string name = entry.path().filename().string();
      return name == kData || name == kWeights || name.ends_with(".tmp");
    });
  }

  void acquire_folder() {
    if (auto held = support::process::FileLock::acquire_folder(options_.out)) {
      lock_.emplace(std::move(*held));
      return;
    }
    created_folder_ = false;
    throw UsageError(fmt::format(
        "--out {}: another 'normproof train' is at work in it; expected another folder, or its end",
        options_.out.string()));
  }

  void remove_created_folder() const {
    std::error_code ignored;
    if (created_folder_) fs::remove_all(options_.out, ignored);
  }

  /// Checks that config.json and data.json have the hash that is stored in the checkpoint.
  void check_unaltered() const {
    const fs::path& out = options_.out;
    if (read_run_sha256(out / kCheckpoint) !=
        ref::io::sha256(ref::io::read_text(out / kConfig) + ref::io::read_text(out / kData)))
      ref::io::file_failure((out / kCheckpoint).string(), "run_sha256",
                            "is of another configuration or of other data",
                            "that of config.json and data.json, which were altered");
  }

  /// Returns the hash of the run's configuration and data.
  std::string identity() const {
    return ref::io::sha256(config_json(config_) + task_.data_json(hash_weights(initial_weights_)));
  }

  static void check_same(const fs::path& file, const std::string& text, const char* what) {
    if (ref::io::read_text(file) != text)
      throw UsageError(fmt::format(
          "--resume: {} is not that of the run in {}; expected the same, or another --out", what,
          file.string()));
  }

  void take_step(std::size_t k, std::size_t epoch, std::size_t total) {
    NormStatistics norms;
    const ref::encoder::TensorTap<double> tap(
        [&](const std::string& name, const Tensor<double>& values) { norms.record(name, values); },
        NormStatistics::requests);
    TaskStepResult taken;
    try {
      taken = task_.step(k, state_, tap);
    } catch (const ref::numeric::ContractError& error) {
      throw_step_failure(config_, static_cast<std::size_t>(state_.step) + 1,
                         find_first_non_finite(task_, k, state_), error);
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
    for (const auto& [name, norm] : result.gradient_norms.per_tensor)
      line["gradient_norms"][name] = norm;
    if (const auto most = max_weighted_gamma_statistic(config_, norms))
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
  std::size_t steps_per_epoch_;
  InitialWeights initial_weights_;
  train::TrainState<double> state_;
  std::optional<Metrics> metrics_;
  RunSummary summary_;
  bool created_folder_ = false;  ///< whether this run created its folder
  std::optional<support::process::FileLock> lock_;
};

}  // namespace

bool is_caused_by_settings(std::size_t step, const std::optional<std::string>& found,
                           const ref::numeric::ContractError& refusal) {
  const bool not_finite =
      found || dynamic_cast<const ref::numeric::NotFiniteError*>(&refusal) != nullptr;
  return !not_finite && step == 1;
}

void throw_step_failure(const RunConfig& config, std::size_t step,
                        const std::optional<std::string>& found,
                        const ref::numeric::ContractError& refusal) {
  if (is_caused_by_settings(step, found, refusal))
    throw UsageError(fmt::format("step 1: {}", name_setting_in_error(config, refusal)));
  throw RunFailure(
      fmt::format("step {}: {}{}", step,
                  found ? fmt::format("the first value that is not finite is {}; ", *found) : "",
                  sentence(refusal.violation())));
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
