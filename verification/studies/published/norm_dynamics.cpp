#include "verification/studies/published/norm_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "ref/numeric/square_root.hpp"
#include "verification/checks/statistics/channel_means.hpp"
#include "verification/training/norm_statistics.hpp"

namespace normproof::verification::studies::published {

namespace model = ref::model;
using checks::statistics::channel_mean_squares;
using ref::numeric::square_root;
using ref::tensor::Tensor;

namespace {

using Channels = std::vector<double>;
using Numbers = std::map<std::string, std::optional<double>>;

constexpr const char* kSeries[] = {
    "mean_change",        "variance_change",      "quadratic_mean_change",
    "mean_distance",      "variance_distance",    "quadratic_mean_distance",
    "running_mean_rms",   "running_variance_rms", "running_psi2_rms",
    "lipschitz",          "lipschitz_batch_norm", "lipschitz_power_norm",
    "max_weighted_gamma", "nu_largest",           "psi_least",
    "gradient_seen",      "gradient_bound",       "gradient_share",
    "bound_channels"};

double euclidean_norm(const Channels& v) {
  double squares = 0;
  for (const double e : v) squares += e * e;
  return square_root(squares);
}

double root_mean_square(const Channels& v) {
  return euclidean_norm(v) / square_root(static_cast<double>(v.size()));
}

Channels minus(const Channels& a, const Channels& b) {
  Channels difference(a.size());
  std::ranges::transform(a, b, difference.begin(), std::minus());
  return difference;
}

double largest(const Channels& v) {
  double most = 0;
  for (const double e : v) most = std::max(most, std::fabs(e));
  return most;
}

/// Returns the maximum of `|gamma_c| factor_c` over the channels c.
double largest_product(const Channels& gamma, const Channels& factor) {
  double most = 0;
  for (std::size_t c = 0; c < gamma.size(); ++c)
    most = std::max(most, std::fabs(gamma[c]) * factor[c]);
  return most;
}

/// Returns 1 / sqrt(v + eps) for each channel.
Channels reciprocal_square_roots(const Channels& v, double eps) {
  Channels result(v.size());
  std::ranges::transform(v, result.begin(), [=](double e) { return 1 / square_root(e + eps); });
  return result;
}

Channels values_of(const Tensor<double>& t) {
  return Channels(t.data(), t.data() + t.size());
}

/// Returns the values that a norm layer has under this name in `tensors`, or nothing if there are
/// none.
std::optional<Channels> find_values(const ref::tensor::NamedTensors<double>& tensors,
                                    const std::string& site, const char* name) {
  const Tensor<double>* const values = tensors.find(fmt::format("{}.{}", site, name));
  return values == nullptr ? std::nullopt : std::optional(values_of(*values));
}

/// Returns the option eps of a norm, or 0 if the norm has no such option.
double norm_eps(const model::NormOptions& options) {
  return std::visit(
      [](const auto& o) {
        if constexpr (requires { o.eps; })
          return o.eps;
        else
          return 0.0;
      },
      options);
}

}  // namespace

std::optional<double> NormDynamics::StatisticHistory::add(const Vector& values) {
  std::optional<double> change;
  if (steps > 0) change = euclidean_norm(minus(values, last)) / euclidean_norm(last);
  mean.resize(values.size(), 0);
  squares.resize(values.size(), 0);
  ++steps;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const double off = values[c] - mean[c];
    mean[c] += off / steps;
    squares[c] += off * (values[c] - mean[c]);
  }
  last = values;
  return change;
}

double NormDynamics::StatisticHistory::spread() const {
  double variance = 0;
  for (const double s : squares) variance += s / (steps - 1);
  return square_root(variance / static_cast<double>(squares.size())) / root_mean_square(mean);
}

NormDynamics::NormDynamics(const model::EncoderConfig& config) : config_(config) {
  const auto add = [&](const std::string& name) {
    NormLayerHistory site;
    site.name = name;
    sites_.push_back(std::move(site));
  };
  for (std::size_t l = 0; l < config.num_layers; ++l)
    for (const char* norm : {"norm1", "norm2"}) add(fmt::format("layers.{}.{}", l, norm));
  if (config.placement == model::NormPlacement::pre) add("final_norm");
}

ref::encoder::TensorTap<double> NormDynamics::begin_step(
    const ref::train::TrainState<double>& state, const ref::tensor::Mask& valid) {
  before_ = &state;
  valid_ = &valid;
  for (NormLayerHistory& site : sites_) site.seen.clear();
  return [this](const std::string& name, const Tensor<double>& values) { see(name, values); };
}

/// Returns the mask of the rows that count in statistics. An empty mask means that all rows count.
const ref::tensor::Mask& NormDynamics::counted_rows() const {
  static const ref::tensor::Mask kAll;
  return config_.mask_padding ? *valid_ : kAll;
}

void NormDynamics::see(const std::string& name, const Tensor<double>& values) {
  const bool gradient = name.starts_with("grad_");
  const std::string own = gradient ? name.substr(5) : name;
  const std::size_t dot = own.rfind('.');
  if (dot == std::string::npos) return;
  const auto site = std::ranges::find_if(
      sites_, [&](const NormLayerHistory& s) { return own.substr(0, dot) == s.name; });
  if (site == sites_.end()) return;
  auto& seen = site->seen;
  const std::string what = own.substr(dot + 1);
  if (gradient) {
    if (what == "x" || what == "y")
      seen[fmt::format("grad_{}_squared", what)] =
          values_of(channel_mean_squares(values, counted_rows()));
  } else if (what == "x") {
    const Tensor<double> mean = checks::statistics::channel_means(values, counted_rows());
    seen["mean"] = values_of(mean);
    seen["variance"] = values_of(channel_mean_squares(values, counted_rows(), mean));
    seen["quadratic_mean"] = values_of(channel_mean_squares(values, counted_rows()));
  } else if (what == "rstd" || what == "group_rstd" || what == "mean_x_hat_squared") {
    seen[what] = values_of(values);
  }
}

/// Adds the bound on the gradient in the current step to `numbers`.
void NormDynamics::add_bound(NormLayerHistory& site, const Vector& gamma, Numbers& numbers) {
  const GradientBound::ChannelMaxima found =
      site.bound.add({gamma, site.seen.at("mean_x_hat_squared"), site.seen.at("rstd"),
                      site.seen.at("grad_x_squared"), site.seen.at("grad_y_squared")},
                     *training::new_weight(config_.norm));
  numbers["bound_channels"] = found.channels;
  if (found.channels == 0) return;
  numbers["gradient_seen"] = found.seen;
  numbers["gradient_bound"] = found.bound;
  numbers["gradient_share"] = found.share;
}

void NormDynamics::finish_layer(NormLayerHistory& site,
                                const ref::train::TrainState<double>& after) {
  Numbers numbers;
  const auto& seen = site.seen;
  const Vector gamma =
      find_values(before_->parameters, site.name, "gamma").value_or(Vector(config_.d_model, 1));
  const double eps = norm_eps(config_.norm);
  const struct {
    const char *name, *running;
    StatisticHistory& history;
  } statistics[] = {{"mean", "running_mean", site.mean},
                    {"variance", "running_variance", site.variance},
                    {"quadratic_mean", "running_psi2", site.quadratic_mean}};
  for (const auto& [name, running, history] : statistics) {
    const Vector& values = seen.at(name);
    numbers[fmt::format("{}_change", name)] = history.add(values);
    if (const auto old = find_values(before_->norms, site.name, running))
      numbers[fmt::format("{}_distance", name)] =
          euclidean_norm(minus(values, *old)) / static_cast<double>(values.size());
    if (const auto now = find_values(after.norms, site.name, running))
      numbers[fmt::format("{}_rms", running)] = root_mean_square(*now);
  }
  numbers["lipschitz_batch_norm"] =
      largest_product(gamma, reciprocal_square_roots(seen.at("variance"), eps));
  numbers["lipschitz_power_norm"] =
      largest_product(gamma, reciprocal_square_roots(seen.at("quadratic_mean"), eps));
  const auto rstd = seen.find("rstd");
  if (rstd == seen.end()) {
    numbers["lipschitz"] = 1;
  } else {
    const bool by_channel = training::new_weight(config_.norm) ||
                            find_values(after.norms, site.name, "running_psi2") ||
                            find_values(after.norms, site.name, "running_mean");
    const auto groups = seen.find("group_rstd");
    numbers["lipschitz"] = (by_channel ? largest_product(gamma, rstd->second)
                                       : largest(gamma) * largest(rstd->second)) *
                           (groups == seen.end() ? 1 : largest(groups->second));
  }
  if (const auto weight = training::new_weight(config_.norm)) {
    numbers["nu_largest"] = largest(*find_values(after.norms, site.name, "nu"));
    numbers["psi_least"] = 1 / largest(rstd->second);
    if (const auto gammas = seen.find("mean_x_hat_squared"); gammas != seen.end()) {
      numbers["max_weighted_gamma"] = *weight * largest(gammas->second);
      if (std::holds_alternative<model::PowerNormOptions>(config_.norm))
        add_bound(site, gamma, numbers);
    }
  }
  for (const char* name : kSeries) {
    const auto found = numbers.find(name);
    const bool finite = found != numbers.end() && found->second && std::isfinite(*found->second);
    site.series[name].push_back(finite ? found->second : std::nullopt);
  }
}

void NormDynamics::end_step(const ref::train::TrainState<double>& state) {
  for (NormLayerHistory& site : sites_) finish_layer(site, state);
}

std::vector<NormLayerDynamics> NormDynamics::result() const {
  std::vector<NormLayerDynamics> all;
  all.reserve(sites_.size());
  for (const NormLayerHistory& site : sites_) {
    NormLayerDynamics one;
    one.site = site.name;
    for (const char* name : kSeries) {
      const auto series = site.series.find(name);
      if (series == site.series.end()) continue;
      if (std::ranges::any_of(series->second, [](const auto& v) { return v.has_value(); }))
        one.series.emplace_back(name, series->second);
    }
    if (site.mean.steps > 1)
      for (const auto& [name, history] :
           {std::pair{"mean", &site.mean}, std::pair{"variance", &site.variance},
            std::pair{"quadratic_mean", &site.quadratic_mean}})
        if (const double spread = history->spread(); std::isfinite(spread))
          one.spreads.emplace_back(name, spread);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace normproof::verification::studies::published
