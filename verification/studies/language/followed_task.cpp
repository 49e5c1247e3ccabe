#include "verification/studies/language/followed_task.hpp"

#include <fmt/format.h>

#include "verification/checks/statistics/fluctuation.hpp"

namespace normproof::verification::studies::language {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// A statistic of a batch. The members are its name as a tensor, its name as a quality measure, and
/// the name of the running statistic with which it is compared.
struct Followed {
  const char *statistic, *name, *running;
};
constexpr Followed kFollowed[] = {{"mean", "mean", "running_mean"},
                                  {"biased_variance", "variance", "running_variance"},
                                  {"quadratic_mean", "quadratic_mean", "running_psi2"}};

const Followed* followed_of(std::string_view tensor) {
  const std::size_t dot = tensor.rfind('.');
  if (tensor.starts_with("grad_") || dot == std::string_view::npos) return nullptr;
  for (const Followed& own : kFollowed)
    if (tensor.substr(dot + 1) == own.statistic) return &own;
  return nullptr;
}

/// If `tensor` is a statistic of a norm layer that has a running value, adds the statistic's
/// fluctuation to `found`. `before` holds the running values before the step.
void follow(const std::string& tensor, const Tensor<double>& batch,
            const NamedTensors<double>& before, training::Qualities& found) {
  const Followed* const own = followed_of(tensor);
  if (own == nullptr) return;
  const std::string site = tensor.substr(0, tensor.rfind('.'));
  const auto* const running = before.find(fmt::format("{}.{}", site, own->running));
  if (running == nullptr) return;
  const bool is_mean = std::string_view(own->name) == "mean";
  const Tensor<double> scale =
      is_mean
          ? checks::statistics::channel_roots(before.at(fmt::format("{}.running_variance", site)))
          : *running;
  found.emplace_back(fmt::format("{}{}.{}", kFluctuation, site, own->name),
                     checks::statistics::fluctuation(batch, *running, scale).relative);
}

}  // namespace

training::TaskStep FollowedTask::step(std::size_t k, ref::train::TrainState<double>& state,
                                      const ref::encoder::Tap<double>& tap) const {
  const NamedTensors<double> before = state.norms;
  training::Qualities found;
  const ref::encoder::Tap<double> both(
      [&](const std::string& name, const Tensor<double>& values) {
        tap(name, values);
        follow(name, values, before, found);
      },
      [&](const std::string& name) { return tap.requests(name) || followed_of(name) != nullptr; });
  training::TaskStep step = task_.step(k, state, both);
  step.qualities.insert(step.qualities.end(), found.begin(), found.end());
  return step;
}

}  // namespace normproof::verification::studies::language
