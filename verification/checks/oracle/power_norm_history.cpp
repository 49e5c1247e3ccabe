#include "verification/checks/oracle/power_norm_history.hpp"

#include "ref/tensor/contract.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::tensor::empty_tensor;
using ref::tensor::shape_of;

/// The means over the rows, for each channel, of x_hat^2, of g x_hat and of (g - nu x_hat) x_hat.
/// Here g = gamma grad_y, and nu is the state of PowerNorm's backward.
struct ChannelMeans {
  oracle100 x_hat_squared = 0;
  oracle100 g_x_hat = 0;
  oracle100 remaining = 0;
};

ChannelMeans channel_means(const std::vector<std::size_t>& rows_of_r, const Tensor<oracle100>& g,
                           const Tensor<oracle100>& x_hat, const oracle100& nu) {
  ChannelMeans means;
  for (const std::size_t i : rows_of_r) {
    const oracle100& z = x_hat.data()[i];
    means.x_hat_squared += z * z;
    means.g_x_hat += g.data()[i] * z;
    means.remaining += (g.data()[i] - nu * z) * z;
  }
  const oracle100 m(rows_of_r.size());
  return {means.x_hat_squared / m, means.g_x_hat / m, means.remaining / m};
}

Tensor<oracle100> incoming_gradient(const OracleInputs& inputs, const Tensor<oracle100>& gamma) {
  Tensor<oracle100> g = inputs.grad_y;
  for (std::size_t i = 0; i < g.size(); ++i) g.data()[i] *= gamma.data()[i % gamma.size()];
  return g;
}

PowerNormBackward allocate(const Shape& x_shape) {
  const Shape features{x_shape.back()};
  return {empty_tensor<oracle100>(x_shape), empty_tensor<oracle100>(features),
          empty_tensor<oracle100>(features), empty_tensor<oracle100>(features)};
}

}  // namespace

PowerNormBackward power_norm_backward(const model::PowerNormOptions& options,
                                      const OracleInputs& inputs, const Tensor<oracle100>& gamma,
                                      const Evaluation<oracle100>& evaluation,
                                      const NamedTensors<oracle100>& state) {
  const Shape shape = shape_of(inputs.x);
  const StatisticsCells channels = partition(Partition::channel, shape, 1, inputs.valid);
  const Tensor<oracle100> g = incoming_gradient(inputs, gamma);
  PowerNormBackward result = allocate(shape);
  for (std::size_t c = 0; c < channels.cells.size(); ++c) {
    const StatisticsCell& channel = channels.cells[c];
    const oracle100& nu = state.at("nu").data()[c];
    const auto means = channel_means(channel.counted, g, evaluation.x_hat, nu);
    result.mean_x_hat_squared.data()[c] = means.x_hat_squared;
    result.mean_g_x_hat.data()[c] = means.g_x_hat;
    result.nu.data()[c] = nu + (1 - oracle100(options.alpha_backward)) * means.remaining;
    const oracle100& rstd = evaluation.statistics.at("rstd").data()[c];
    for (const std::size_t i : channel.members) result.grad_x.data()[i] = g.data()[i] * rstd;
    for (const std::size_t i : channel.counted)
      result.grad_x.data()[i] -= nu * evaluation.x_hat.data()[i] * rstd;
  }
  return result;
}

PowerNormBackward power_norm_released_backward(const model::PowerNormReleasedOptions& options,
                                               const OracleInputs& inputs,
                                               const Tensor<oracle100>& gamma,
                                               const Evaluation<oracle100>& evaluation,
                                               const NamedTensors<oracle100>& state,
                                               Method method) {
  const Shape shape = shape_of(inputs.x);
  const StatisticsCells channels =
      partition(Partition::channel, shape, 1, options.pads_in_backward ? Mask() : inputs.valid);
  const Tensor<oracle100> g = incoming_gradient(inputs, gamma);
  const oracle100 w = 1 - oracle100(options.alpha_backward);
  const auto& divisor =
      evaluation.statistics.at(options.divide_by_batch_psi ? "batch_rstd" : "rstd");
  PowerNormBackward result = allocate(shape);
  for (std::size_t c = 0; c < channels.cells.size(); ++c) {
    const StatisticsCell& channel = channels.cells[c];
    const oracle100& stored = state.at("nu").data()[c];
    const oracle100 nu = options.scaled_nu ? oracle100(w * stored) : stored;
    const auto means = channel_means(channel.counted, g, evaluation.x_hat, nu);
    result.mean_x_hat_squared.data()[c] = means.x_hat_squared;
    result.mean_g_x_hat.data()[c] = means.g_x_hat;
    const oracle100 paper = nu * (1 - w * means.x_hat_squared) + w * means.g_x_hat;
    if (!options.scaled_nu) {
      result.nu.data()[c] = nu + w * means.remaining;
    } else {
      // If alpha_backward = 1, the divisor w is 0. Then nu is 0 and the state holds the sum of the
      // means of g x_hat.
      result.nu.data()[c] = w == 0 ? oracle100(stored + means.g_x_hat) : oracle100(paper / w);
    }
    const oracle100& rstd = divisor.data()[c];
    for (const std::size_t i : channel.members) result.grad_x.data()[i] = g.data()[i] * rstd;
    for (const std::size_t i : channel.counted)
      result.grad_x.data()[i] -= nu * evaluation.x_hat.data()[i] * rstd;
  }
  if (options.group_scaling) {
    const model::GroupScalingOptions scaling{.eps = options.group_eps, .groups = options.groups};
    const OracleInputs scaling_inputs{.x = inputs.x, .grad_y = result.grad_x};
    result.grad_x = oracle_gradients(scaling, scaling_inputs, {}, method).x;
  }
  return result;
}

}  // namespace normproof::verification::checks::oracle
