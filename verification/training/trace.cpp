#include "verification/training/trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/golden/certify/new_folder.hpp"
#include "verification/training/checkpoint.hpp"
#include "verification/training/run.hpp"
#include "verification/training/step_record.hpp"

namespace normproof::verification::training {

namespace fs = std::filesystem;
namespace train = ref::train;
using nlohmann::ordered_json;
using ref::io::DType;
using ref::io::StoredTensor;
using ref::numeric::ball;
using ref::numeric::UsageError;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;
using train::LabelledBatch;

namespace {

// The nearest double of an element is decided once the enclosure of the exact value is small
// enough. If the exact value is 0, as for the gradient of a key's bias, the enclosure must be
// narrower than the smallest double. Fewer bits than these never suffice for that.
constexpr long kFirstTraceBits = 2048;
constexpr long kMaxTraceBits = 65536;

/// Thrown if the enclosure of an element contains values with different nearest doubles.
struct UndecidedElement {
  std::string place;
};

StoredTensor tokens_tensor(const std::string& name, const ref::nn::Tokens& tokens) {
  const std::vector<std::int64_t> ids(tokens.ids.begin(), tokens.ids.end());
  return ref::io::make_tensor(name, {tokens.batch_size, tokens.seq_len},
                              std::span<const std::int64_t>(ids));
}

void add_inputs(const LabelledBatch& batch, StepRecord& record) {
  const ref::nn::Tokens& tokens = batch.inputs.tokens;
  record.add(tokens_tensor(record.make_unique_name("tokens"), tokens));
  std::vector<double> valid(tokens.ids.size(), 1);
  if (ref::tensor::is_given(batch.inputs.valid))
    valid.assign(batch.inputs.valid.begin(), batch.inputs.valid.end());
  record.add(ref::io::make_tensor(record.make_unique_name("valid"), DType::boolean,
                                  {tokens.batch_size, tokens.seq_len}, valid));
  const std::vector<std::int64_t> labels(batch.labels.begin(), batch.labels.end());
  record.add(ref::io::make_tensor(record.make_unique_name("labels"), {labels.size()},
                                  std::span<const std::int64_t>(labels)));
}

double largest(const Tensor<ball>& values) {
  double most = 0;
  for (const ball& v : values) most = std::max(most, std::fabs(v.midpoint()));
  return most;
}

/// Returns an upper bound of `max |a_i - b_i|` over the elements i.
double bound_distance(const Tensor<double>& a, const Tensor<ball>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const ball off = b.data()[i] - ball(a.data()[i]);
    most = std::max({most, off.upper(), -off.lower()});
  }
  return most;
}

void update_distance(ExactDistance& distance, const std::string& name, const Tensor<double>& a,
                     const Tensor<ball>& b) {
  const double off = bound_distance(a, b), scale = largest(b);
  distance.absolute = std::max(distance.absolute, off);
  if (scale > 0 && off / scale > distance.relative) {
    distance.relative = off / scale;
    distance.tensor = name;
  }
}

/// A training step that was computed in double. A certified step is compared with it.
struct DoubleStep {
  TracedStep traced;
  NamedTensors<double> gradients, after;  ///< empty unless the trace is certified
};

/// Limits the library to one thread during the lifetime of this object. The precision of ball
/// arithmetic is set per thread, so worker threads would not have this precision.
class SingleThreadScope {
 public:
  SingleThreadScope() : before_(ref::numeric::num_threads()) { ref::numeric::set_num_threads(1); }
  ~SingleThreadScope() { ref::numeric::set_num_threads(before_); }
  SingleThreadScope(const SingleThreadScope&) = delete;
  SingleThreadScope& operator=(const SingleThreadScope&) = delete;

 private:
  int before_;
};

class Trace {
 public:
  Trace(const RunConfig& config, const Dataset& data, const TraceOptions& options)
      : config_(config),
        data_(data),
        options_(options),
        weights_(class_weights(data, config)),
        start_(train::initial_train_state(config.train)) {
    if (options.steps < 1) throw UsageError("--steps is 0; expected 1 or more");
    if (options.weights) start_.parameters = *options.weights;
    const std::size_t each = steps_per_epoch(data, config);
    for (std::size_t s = 0; s < options.steps; ++s) {
      if (s % each == 0) epoch_ = training_batches(data, config, s / each);
      const auto own = select_step_batches(epoch_, config, s % each);
      batches_.emplace_back(own.begin(), own.end());
    }
  }

  TraceSummary trace() {
    golden::certify::NewFolder folder("--out", options_.out);
    folder_ = folder.path();
    write_initial_state();
    run_in_double_arithmetic();
    if (options_.certified) certify();
    for (const DoubleStep& step : doubles_) summary_.steps.push_back(step.traced);
    write_manifest();
    folder.publish();
    return summary_;
  }

 private:
  void run_in_double_arithmetic() {
    train::TrainState<double> state = start_;
    for (std::size_t s = 0; s < batches_.size(); ++s) {
      DoubleStep step;
      StepRecord record;
      for (const LabelledBatch& batch : batches_[s]) add_inputs(batch, record);
      const auto result = run_train_step<double>(
          s, weights_, state, [&](const std::string& name, const Tensor<double>& values) {
            const std::string own = record.make_unique_name(name);
            record.add(own, values);
            if (options_.certified && (name.starts_with("grad_") || name == "loss"))
              step.gradients.set(own, values);
          });
      for_each_tensor(state, [&](const std::string& name, const Tensor<double>& values) {
        record.add(name, values);
      });
      for (const StoredTensor& tensor : record.tensors()) {
        ++summary_.tensors;
        summary_.elements += tensor.bytes.size() / ref::io::item_size(tensor.dtype);
      }
      if (!options_.certified) write_tensor_file(step_file_stem(s), record.tensors());
      step.traced.loss = result.loss;
      step.traced.learning_rate = result.learning_rate;
      step.traced.sha256 = train::state_sha256(state);
      if (options_.certified) step.after = state.parameters;
      doubles_.push_back(std::move(step));
      if (options_.after_step) options_.after_step("double", s + 1, batches_.size());
    }
  }

  void certify() {
    long& bits = summary_.bits;
    for (bits = kFirstTraceBits;; bits *= 2) {
      try {
        return run_with_ball_arithmetic(bits);
      } catch (const UndecidedElement& open) {
        if (bits >= kMaxTraceBits)
          throw RunFailure(fmt::format("{} is not decided with {} bits", open.place, bits));
      }
    }
  }

  void run_with_ball_arithmetic(long bits) {
    const SingleThreadScope alone;
    const ref::numeric::BallPrecision precision(bits);
    auto state = train::convert_state<ball>(start_);
    const Tensor<ball> weights =
        ref::tensor::is_given(weights_) ? ref::tensor::convert<ball>(weights_) : Tensor<ball>();
    for (std::size_t s = 0; s < batches_.size(); ++s) {
      StepRecord record;
      TracedStep& traced = doubles_[s].traced;
      traced.loss_distance = traced.gradients = traced.parameters = {};
      const auto keep = [&](const std::string& name, const Tensor<ball>& values) {
        if (const auto open = record.add(name, values))
          throw UndecidedElement{fmt::format("step {}: {}", s + 1, *open)};
      };
      for (const LabelledBatch& batch : batches_[s]) add_inputs(batch, record);
      run_train_step<ball>(
          s, weights, state, [&](const std::string& name, const Tensor<ball>& values) {
            const std::string own = record.make_unique_name(name);
            keep(own, values);
            if (name.starts_with("grad_") || name == "loss")
              update_distance(name == "loss" ? traced.loss_distance : traced.gradients, own,
                              doubles_[s].gradients.at(own), values);
          });
      for (const auto& [name, values] : state.parameters)
        update_distance(traced.parameters, name, doubles_[s].after.at(name), values);
      for_each_tensor(state, keep);
      write_tensor_file(step_file_stem(s), record.tensors());
      if (options_.after_step)
        options_.after_step(fmt::format("{} bits", bits), s + 1, batches_.size());
    }
  }

  template <class T, class See>
  train::StepResult<T> run_train_step(std::size_t s, const Tensor<T>& weights,
                                      train::TrainState<T>& state, See see) const {
    try {
      return train::train_step<T>(config_.train, batches_[s], weights, state,
                                  ref::encoder::TensorTap<T>(see));
    } catch (const ref::numeric::ContractError& error) {
      throw_step_failure(config_, s + 1, std::nullopt, error);
    }
  }

  static std::string step_file_stem(std::size_t s) { return fmt::format("step_{:04}", s + 1); }

  /// Writes the tensors into a file. The new file replaces an earlier file of the same step, whose
  /// tensors were computed with fewer bits of precision.
  void write_tensor_file(const std::string& stem, const std::vector<StoredTensor>& tensors) {
    const std::string name = stem + options_.suffix;
    ref::io::write_tensors(folder_ / name, tensors);
    hashes_[name] = ref::io::sha256(ref::io::read_text(folder_ / name));
  }

  void write_initial_state() {
    ref::io::write_file(folder_ / "config.json", config_json(config_));
    ref::io::write_file(folder_ / "data.json", data_json(data_, hash_weights(options_.weights)));
    StepRecord initial;
    for_each_tensor(start_, [&](const std::string& name, const Tensor<double>& values) {
      initial.add(name, values);
    });
    if (ref::tensor::is_given(weights_)) initial.add("class_weights", weights_);
    write_tensor_file("initial", initial.tensors());
  }

  void write_manifest() const {
    ordered_json files = ordered_json::array();
    for (const auto& [name, sha256] : hashes_)
      files.push_back({{"file", name}, {"sha256", sha256}});
    const ordered_json manifest = {{"format", "normproof-trace-1"},
                                   {"certified", certified_json(summary_)},
                                   {"files", files},
                                   {"steps", steps_json(summary_)}};
    ref::io::write_file(folder_ / "manifest.json", manifest.dump(1) + "\n");
  }

  const RunConfig& config_;
  const Dataset& data_;
  const TraceOptions& options_;
  Tensor<double> weights_;
  train::TrainState<double> start_;
  std::vector<LabelledBatch> epoch_;
  std::vector<std::vector<LabelledBatch>> batches_;  ///< the batches of each training step
  std::vector<DoubleStep> doubles_;
  fs::path folder_;
  std::map<std::string, std::string> hashes_;  ///< hashes of the written tensor files, by file name
  TraceSummary summary_;
};

ordered_json distance_json(const ExactDistance& distance) {
  return {{"absolute", distance.absolute},
          {"relative", distance.is_relative() ? ordered_json(distance.relative) : ordered_json()},
          {"tensor", distance.tensor}};
}

}  // namespace

ordered_json certified_json(const TraceSummary& summary) {
  return summary.bits > 0 ? ordered_json{{"bits", summary.bits}} : ordered_json();
}

ordered_json steps_json(const TraceSummary& summary) {
  ordered_json steps = ordered_json::array();
  for (const TracedStep& traced : summary.steps) {
    ordered_json step = {{"step", steps.size() + 1},
                         {"loss", traced.loss},
                         {"learning_rate", traced.learning_rate},
                         {"sha256", traced.sha256}};
    if (summary.bits > 0)
      step["distance"] = {{"loss", distance_json(traced.loss_distance)},
                          {"gradients", distance_json(traced.gradients)},
                          {"parameters", distance_json(traced.parameters)}};
    steps.push_back(std::move(step));
  }
  return steps;
}

TraceSummary trace(const RunConfig& config, const Dataset& data, const TraceOptions& options) {
  return Trace(config, data, options).trace();
}

}  // namespace normproof::verification::training
