#include "verification/studies/language/traced_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "verification/checks/statistics/channel_means.hpp"
#include "verification/checks/statistics/fluctuation.hpp"
#include "verification/studies/language/followed_task.hpp"

namespace normproof::verification::studies::language {

using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// A tensor's name, split into the norm layer, such as "layers.0.norm1", and the tensor's name in
/// that layer, such as "x" or "grad_x".
struct NormTensorName {
  std::string site, what;
};

/// Splits the name of a tensor. The two parts are empty if the tensor does not belong to a norm
/// layer.
NormTensorName split_tensor_name(const std::string& name) {
  const bool gradient = name.starts_with("grad_");
  const std::string own = gradient ? name.substr(5) : name;
  const std::size_t dot = own.rfind('.');
  if (dot == std::string::npos) return {};
  const std::string site = own.substr(0, dot);
  // If `site` contains no dot, this is the whole of `site`.
  const std::string layer = site.substr(site.rfind('.') + 1);
  if (!layer.starts_with("norm") && layer != "final_norm") return {};
  return {site, (gradient ? "grad_" : "") + own.substr(dot + 1)};
}

std::vector<double> values_of(const Tensor<double>& tensor) {
  return {tensor.begin(), tensor.end()};
}

/// Adds the fluctuation of a statistic to `found`. The fluctuation is the distance of the statistic
/// from the running value, relative to `scale`. Then updates the running value. `scale` and
/// `running` may be the same tensor.
void update_fluctuation(const std::string& site, const char* statistic, const Tensor<double>& batch,
                        const Tensor<double>& scale, Tensor<double>& running,
                        training::Qualities& found) {
  found.emplace_back(fmt::format("{}{}.{}", kFluctuation, site, statistic),
                     checks::statistics::fluctuation(batch, running, scale).relative);
  for (std::size_t c = 0; c < batch.size(); ++c)
    running.data()[c] =
        NormTrace::kDecay * running.data()[c] + (1 - NormTrace::kDecay) * batch.data()[c];
}

void add_bound(const std::string& name, const std::map<std::string, Tensor<double>>& seen,
               studies::published::GradientBound& bound, double new_weight,
               const NamedTensors<double>& parameters, training::Qualities& found) {
  const auto channels = [&](const char* what) { return values_of(seen.at(what)); };
  const auto big_gamma = channels("mean_x_hat_squared"), rstd = channels("rstd");
  const auto grad_x_squared = channels("grad_x"), grad_y_squared = channels("grad_y");
  const auto gamma = values_of(parameters.at(name + ".gamma"));
  const auto own = bound.add({gamma, big_gamma, rstd, grad_x_squared, grad_y_squared}, new_weight);
  if (own.channels > 0)
    found.emplace_back(fmt::format("{}{}", kGradientSharePrefix, name), own.share);
  found.emplace_back(fmt::format("{}{}", kBoundChannelsPrefix, name),
                     own.channels / static_cast<double>(gamma.size()));
}

}  // namespace

bool NormTrace::requests(const std::string& name) {
  const std::string what = split_tensor_name(name).what;
  return what == "x" || what == "grad_x" || what == "grad_y" || what == "rstd" ||
         what == "mean_x_hat_squared";
}

const ref::model::PowerNormOptions* NormTrace::find_power_norm_options(
    const std::string& site) const {
  const auto norm =
      std::ranges::find_if(norms_, [&](const auto& own) { return site.starts_with(own.first); });
  return norm == norms_.end() ? nullptr : std::get_if<ref::model::PowerNormOptions>(&norm->second);
}

void NormTrace::record(const std::string& name, const Tensor<double>& values, const Mask& valid) {
  const auto [site, what] = split_tensor_name(name);
  if (what != "x" && find_power_norm_options(site) == nullptr) return;
  auto& seen = sites_[site].seen;
  if (what == "x") {
    seen["mean"] = checks::statistics::channel_means(values, valid);
    seen["variance"] = checks::statistics::channel_mean_squares(values, valid, seen["mean"]);
    seen["quadratic_mean"] = checks::statistics::channel_mean_squares(values, valid);
  } else {
    seen[what] = what.starts_with("grad_") ? checks::statistics::channel_mean_squares(values, valid)
                                           : values;
  }
}

training::Qualities NormTrace::end_step(const NamedTensors<double>& parameters) {
  training::Qualities found;
  for (auto& [name, site] : sites_) {
    auto& [seen, running, bound] = site;
    if (running.empty()) {
      for (const char* statistic : {"mean", "variance", "quadratic_mean"})
        running[statistic] = seen.at(statistic);
    } else {
      update_fluctuation(name, "mean", seen.at("mean"),
                         checks::statistics::channel_square_roots(running.at("variance")),
                         running.at("mean"), found);
      for (const char* statistic : {"variance", "quadratic_mean"})
        update_fluctuation(name, statistic, seen.at(statistic), running.at(statistic),
                           running.at(statistic), found);
    }
    if (const auto* const norm = find_power_norm_options(name))
      add_bound(name, seen, bound, *training::new_weight(*norm), parameters, found);
  }
  return found;
}

void NormTracingTask::begin_epoch(std::uint64_t epoch) {
  task_.begin_epoch(epoch);
  if (config_.task == training::Task::translate)
    pairs_ = training::pair_batches(data_.pairs.value(), config_, epoch);
}

training::TaskStepResult NormTracingTask::step(std::size_t k, ref::train::TrainState<double>& state,
                                               const ref::encoder::TensorTap<double>& tap) const {
  const NamedTensors<double> parameters = state.parameters;
  const auto valid = [&](const std::string& name) {
    if (config_.task != training::Task::translate) return Mask();
    const auto& inputs = pairs_.at(k).inputs;
    return split_tensor_name(name).site.starts_with("decoder.") ? inputs.target.valid
                                                                : inputs.source.valid;
  };
  const ref::encoder::TensorTap<double> both(
      [&](const std::string& name, const Tensor<double>& values) {
        tap(name, values);
        if (NormTrace::requests(name)) trace_.record(name, values, valid(name));
      },
      [&](const std::string& name) { return tap.requests(name) || NormTrace::requests(name); });
  training::TaskStepResult step = task_.step(k, state, both);
  const training::Qualities found = trace_.end_step(parameters);
  step.qualities.insert(step.qualities.end(), found.begin(), found.end());
  return step;
}

}  // namespace normproof::verification::studies::language
