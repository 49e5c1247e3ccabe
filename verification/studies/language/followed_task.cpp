#include "verification/studies/language/followed_task.hpp"

#include <fmt/format.h>

#include "verification/checks/statistics/fluctuation.hpp"

namespace normproof::verification::studies::language {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// A statistic of a batch. The members are its name as a tensor, its name as a quality measure, and
/// the name of the running statistic with which it is compared.
struct ComparedStatistic {
  const char *statistic, *name, *running;
};
constexpr ComparedStatistic kComparedStatistics[] = {
    {"mean", "mean", "running_mean"},
    {"biased_variance", "variance", "running_variance"},
    {"quadratic_mean", "quadratic_mean", "running_psi2"}};

const ComparedStatistic* find_compared_statistic(std::string_view tensor) {
  const std::size_t dot = tensor.rfind('.');
  if (tensor.starts_with("grad_") || dot == std::string_view::npos) return nullptr;
  for (const ComparedStatistic& own : kComparedStatistics)
    if (tensor.substr(dot + 1) == own.statistic) return &own;
  return nullptr;
}

/// If `tensor` is a statistic for which a norm layer keeps a running value, adds the fluctuation of
/// this statistic to `found`. The argument `before` holds the running values before the step.
void add_fluctuation(const std::string& tensor, const Tensor<double>& batch,
                     const NamedTensors<double>& before, training::Qualities& found) {
  const ComparedStatistic* const own = find_compared_statistic(tensor);
  if (own == nullptr) return;
  const std::string site = tensor.substr(0, tensor.rfind('.'));
  const auto* const running = before.find(fmt::format("{}.{}", site, own->running));
  if (running == nullptr) return;
  const bool is_mean = std::string_view(own->name) == "mean";
  const Tensor<double> scale = is_mean ? checks::statistics::channel_square_roots(
                                             before.at(fmt::format("{}.running_variance", site)))
                                       : *running;
  found.emplace_back(fmt::format("{}{}.{}", kFluctuation, site, own->name),
                     checks::statistics::fluctuation(batch, *running, scale).relative);
}

}  // namespace

training::TaskStepResult FluctuationTask::step(std::size_t k, ref::train::TrainState<double>& state,
                                               const ref::encoder::TensorTap<double>& tap) const {
  const NamedTensors<double> before = state.norms;
  training::Qualities found;
  const ref::encoder::TensorTap<double> both(
      [&](const std::string& name, const Tensor<double>& values) {
        tap(name, values);
        add_fluctuation(name, values, before, found);
      },
      [&](const std::string& name) {
        return tap.requests(name) || find_compared_statistic(name) != nullptr;
      });
  training::TaskStepResult step = task_.step(k, state, both);
  step.qualities.insert(step.qualities.end(), found.begin(), found.end());
  return step;
}

}  // namespace normproof::verification::studies::language
