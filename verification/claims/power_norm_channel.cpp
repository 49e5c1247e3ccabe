#include "verification/claims/power_norm_channel.hpp"

#include "ref/numeric/errors.hpp"

namespace normproof::verification::claims {

using ref::model::PowerNormOptions;
using ref::model::PowerNormReleasedOptions;
using ref::tensor::Tensor;
using Row = PowerNormChannel::Row;

namespace {

Tensor<oracle50> column_of(const Row& rows) {
  auto result = ref::tensor::empty_tensor<oracle50>({rows.size(), 1});
  for (std::size_t i = 0; i < rows.size(); ++i) result.data()[i] = rows[i];
  return result;
}

Tensor<oracle50> single(const oracle50& value) {
  return ref::tensor::full_tensor<oracle50>({1}, value);
}

PowerNormReleasedOptions described(const PowerNormOptions& o) {
  return {.eps = o.eps,
          .alpha_forward = o.alpha_forward,
          .alpha_backward = o.alpha_backward,
          .warmup_iterations = o.warmup_iterations,
          .group_scaling = false,
          .divide_by_batch_psi = false,
          .cumulative_warmup_average = false,
          .pads_in_backward = false,
          .scaled_nu = false};
}

}  // namespace

PowerNormChannel::PowerNormChannel(const Subject& subject, const PowerNormOptions& options)
    : subject_(subject), options_(options), described_(described(options)) {}

PowerNormChannel::PowerNormChannel(const Subject& subject, const PowerNormReleasedOptions& options)
    : subject_(subject), options_(options), described_(options) {
  if (options.group_scaling)
    throw ref::numeric::ContractError(
        "PowerNormChannel: group_scaling is on; a single channel is followed without it");
}

oracle50 PowerNormChannel::scale() const {
  return sqrt(oracle50(running_psi2_.value + described_.eps));
}

/// docs/specification/norms.md, the rows of power_norm and power_norm_released, on bounded numbers.
Moment PowerNormChannel::specified(const Row& x, const Row& grad_y,
                                   const std::vector<bool>& valid) const {
  const auto& o = described_;
  const auto is_valid = [&](std::size_t i) { return valid.empty() || valid[i]; };
  const auto counts = [&](std::size_t i) { return o.pads_in_backward || is_valid(i); };
  const auto reciprocal_root = [&](const Bounded& square) {
    return Bounded(1) / sqrt(square + Bounded(o.eps));
  };
  Moment m;
  std::vector<Bounded> squares;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (is_valid(i)) squares.push_back(Bounded(x[i]) * Bounded(x[i]));
  m.quadratic_mean = mean(squares);
  const std::int64_t iteration = iterations_ + 1;
  const auto k = static_cast<double>(iteration);
  const bool warming_up = iteration <= o.warmup_iterations;
  m.rstd = reciprocal_root(warming_up ? m.quadratic_mean : running_psi2_);
  m.divisor = o.divide_by_batch_psi ? reciprocal_root(m.quadratic_mean) : m.rstd;
  Bounded psi2 = running_psi2_;
  if (o.cumulative_warmup_average && iteration < o.warmup_iterations)
    psi2 = psi2 * (Bounded(k - 1) / Bounded(k)) + m.quadratic_mean / Bounded(k);
  m.running_psi2 =
      Bounded(o.alpha_forward) * psi2 + (Bounded(1) - Bounded(o.alpha_forward)) * m.quadratic_mean;

  const Bounded w = Bounded(1) - Bounded(o.alpha_backward);
  const Bounded effective = o.scaled_nu ? w * nu_ : nu_;
  std::vector<Bounded> x_hat_squared, g_x_hat, remainder_x_hat;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Bounded x_hat = Bounded(x[i]) * m.rstd;
    const Bounded g = Bounded(gamma_) * Bounded(grad_y[i]);
    const Bounded t = counts(i) ? g - effective * x_hat : g;
    m.x_hat.push_back(x_hat);
    m.grad_x.push_back(t * m.divisor);
    if (!counts(i)) continue;
    x_hat_squared.push_back(x_hat * x_hat);
    g_x_hat.push_back(g * x_hat);
    remainder_x_hat.push_back(t * x_hat);
  }
  m.Gamma = mean(x_hat_squared);
  m.Lambda = mean(g_x_hat);
  m.nu =
      o.scaled_nu ? nu_ + mean(remainder_x_hat) : nu_ * (Bounded(1) - w * m.Gamma) + w * m.Lambda;
  return m;
}

Moment PowerNormChannel::step(const Row& x, const Row& grad_y, const std::vector<bool>& valid) {
  NormInputs<oracle50> inputs;
  inputs.x = column_of(x);
  inputs.grad_y = column_of(grad_y);
  if (gamma_ != 1) inputs.gamma = single(gamma_);
  if (!valid.empty()) {
    inputs.valid = ref::tensor::Mask::from_shape({x.size()});
    for (std::size_t i = 0; i < x.size(); ++i) inputs.valid.data()[i] = valid[i];
  }
  NamedTensors<oracle50> state;
  state.set("running_psi2", single(running_psi2_.value));
  state.set("nu", single(nu_.value));
  state.set("iterations", single(static_cast<double>(iterations_)));
  const auto step = subject_.step<oracle50>(options_, inputs, state);

  Moment m = specified(x, grad_y, valid);
  const auto value = [](const NamedTensors<oracle50>& tensors, const char* name) {
    return tensors.at(name).data()[0];
  };
  m.quadratic_mean.value = value(step.outputs, "quadratic_mean");
  m.rstd.value = value(step.outputs, "rstd");
  m.divisor.value = value(step.outputs, described_.divide_by_batch_psi ? "batch_rstd" : "rstd");
  m.Gamma.value = value(step.outputs, "mean_x_hat_squared");
  m.Lambda.value = value(step.outputs, "mean_g_x_hat");
  m.running_psi2.value = value(step.state, "running_psi2");
  m.nu.value = value(step.state, "nu");
  const auto& grad_x = step.outputs.at("grad_x");
  for (std::size_t i = 0; i < x.size(); ++i) {
    m.grad_x[i].value = grad_x.data()[i];
    m.x_hat[i].value = x[i] * m.rstd.value;
    m.remainder.push_back(m.grad_x[i] / m.divisor);
  }
  iterations_ = static_cast<std::int64_t>(value(step.state, "iterations"));
  running_psi2_ = m.running_psi2;
  nu_ = m.nu;
  return m;
}

std::vector<Bounded> power_norm_v_gradient(const Subject& subject, const Row& x, const Row& grad_y,
                                           double gamma, double eps) {
  NormInputs<oracle50> inputs;
  inputs.x = column_of(x);
  inputs.grad_y = column_of(grad_y);
  if (gamma != 1) inputs.gamma = single(gamma);
  const auto step = subject.step<oracle50>(ref::model::PowerNormVOptions{.eps = eps}, inputs);
  const auto& grad_x = step.outputs.at("grad_x");

  std::vector<Bounded> squares, products, result;
  for (const oracle50& v : x) squares.push_back(Bounded(v) * Bounded(v));
  const Bounded rstd = Bounded(1) / sqrt(mean(squares) + Bounded(eps));
  for (std::size_t i = 0; i < x.size(); ++i)
    products.push_back(Bounded(grad_y[i]) * (Bounded(x[i]) * rstd));
  const Bounded c = Bounded(gamma) * sum(products) / Bounded(static_cast<double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Bounded x_hat = Bounded(x[i]) * rstd;
    const Bounded formula = (Bounded(gamma) * Bounded(grad_y[i]) - x_hat * c) * rstd;
    result.emplace_back(grad_x.data()[i], formula.error);
  }
  return result;
}

}  // namespace normproof::verification::claims
