#include "verification/studies/published/curves.hpp"

#include <cstdint>
#include <utility>

#include "ref/tensor/contract.hpp"

namespace normproof::verification::studies::published {

using ref::numeric::Clause;

namespace train = ref::train;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr int kProbeCount = 9;
/// The distance between the step numbers of consecutive probes of the published loop. The step
/// number selects the random numbers of the dropout, so each probe has its own dropout masks. The
/// distance is larger than the number of steps of any training run.
constexpr std::int64_t kProbeStepDistance = std::int64_t{1} << 32;

template <class T>
T absolute(const T& x) {
  return x < T(0) ? T(0) - x : x;
}

template <class T>
void subtract(Tensor<T>& a, const Tensor<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = a.data()[i] - b.data()[i];
}

template <class T>
T largest_gradient_norm(const train::GradientNorms<T>& norms) {
  T largest(0);
  for (const auto& [name, norm] : norms.per_tensor)
    if (largest < norm) largest = norm;
  return largest;
}

}  // namespace

template <class T>
void move_along_gradient(NamedTensors<T>& parameters, const train::Gradients<T>& gradients,
                         double alpha) {
  const T a(alpha);
  for (const auto& [name, gradient] : gradients.dense) {
    T* const p = parameters.at(name).data();
    for (std::size_t i = 0; i < gradient.size(); ++i) p[i] = p[i] - a * gradient.data()[i];
  }
  for (const auto& [name, gradient] : gradients.rows) {
    T* const p = parameters.at(name).data();
    const std::size_t width = gradient.values.shape(1);
    for (std::size_t r = 0; r < gradient.rows.size(); ++r)
      for (std::size_t d = 0; d < width; ++d) {
        T& own = p[gradient.rows[r] * width + d];
        own = own - a * gradient.values.data()[r * width + d];
      }
  }
}

template <class T>
train::Gradients<T> difference(const train::Gradients<T>& a, const train::Gradients<T>& b) {
  if (a.dense.names() != b.dense.names() || a.rows.size() != b.rows.size())
    ref::numeric::contract_failure("difference", "b", "has other tensors", "those of a",
                                   Clause::C1);
  train::Gradients<T> result = a;
  for (auto& [name, values] : result.dense) subtract(values, b.dense.at(name));
  for (std::size_t k = 0; k < result.rows.size(); ++k) {
    auto& [name, own] = result.rows[k];
    if (b.rows[k].first != name || b.rows[k].second.rows != own.rows)
      ref::numeric::contract_failure("difference", name, "has other rows", "the same rows",
                                     Clause::C1);
    subtract(own.values, b.rows[k].second.values);
  }
  return result;
}

template <class T>
Probes<T> probe_loss(const LossAt<T>& loss_at, double learning_rate, train::TrainState<T>& state,
                     bool consecutive) {
  const train::LossGradient<T> first = loss_at(state);
  train::LossGradient<T> before = first;
  train::TrainState<T> moved = state;
  Probes<T> probes;
  probes.reserve(kProbeCount);
  for (int k = 1; k <= kProbeCount; ++k) {
    const double alpha = k * (learning_rate / 10);
    if (consecutive)
      moved.step = state.step + k * kProbeStepDistance;
    else
      moved.parameters = state.parameters;
    move_along_gradient(moved.parameters, before.gradients, alpha);
    train::LossGradient<T> found = loss_at(moved);
    const auto norms = train::gradient_norms(difference(before.gradients, found.gradients));
    probes.push_back({alpha, absolute(T(before.loss - found.loss)),
                      consecutive ? largest_gradient_norm(norms) : norms.whole});
    if (!consecutive) continue;
    move_along_gradient(moved.parameters, first.gradients, -alpha);
    before = std::move(found);
  }
  return probes;
}

template <class T>
Probes<T> probe_loss(const ProbedBatch& batch, const Tensor<T>& class_weights,
                     train::TrainState<T>& state, bool consecutive) {
  const LossAt<T> loss_at = [&](train::TrainState<T>& at) {
    return train::loss_gradient<T>(batch.config, batch.batches, class_weights, at, {}, batch.mode);
  };
  return probe_loss(loss_at, batch.config.learning_rate, state, consecutive);
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template void move_along_gradient(NamedTensors<T>&, const train::Gradients<T>&, double);         \
  template train::Gradients<T> difference(const train::Gradients<T>&, const train::Gradients<T>&); \
  template Probes<T> probe_loss(const LossAt<T>&, double, train::TrainState<T>&, bool);            \
  template Probes<T> probe_loss(const ProbedBatch&, const Tensor<T>&, train::TrainState<T>&, bool);
NORMPROOF_INSTANTIATE(double)
NORMPROOF_INSTANTIATE(ref::numeric::oracle50)
NORMPROOF_INSTANTIATE(ref::numeric::running_error)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::studies::published
