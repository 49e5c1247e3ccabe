#include "verification/claims/slice.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace normproof::verification::claims {

std::vector<Members> sample_groups(const Batch& batch, std::size_t samples, std::size_t groups) {
  const std::size_t tokens = batch.rows / samples;
  const std::size_t width = batch.features / groups;
  std::vector<Members> result;
  for (std::size_t sample = 0; sample < samples; ++sample)
    for (std::size_t group = 0; group < groups; ++group) {
      Members members;
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t j = 0; j < width; ++j)
          members.push_back((sample * tokens + t) * batch.features + group * width + j);
      result.push_back(std::move(members));
    }
  return result;
}

std::vector<Members> columns(const Batch& batch) {
  return sample_groups(batch, 1, batch.features);
}

std::vector<Members> rows(const Batch& batch) {
  return sample_groups(batch, batch.rows, 1);
}

oracle50 absolute(const oracle50& v) {
  return v < 0 ? oracle50(-v) : v;
}

oracle50 epsilon50() {
  return std::numeric_limits<oracle50>::epsilon();
}

Slice::Slice(const Batch& batch, const Members& members, Statistic kind) : count(members.size()) {
  for (const std::size_t at : members) {
    const std::size_t row = at / batch.features, feature = at % batch.features;
    valid.push_back(batch.is_valid(row));
    x.emplace_back(batch.x[at]);
    const oracle50 gamma = batch.gamma.empty() ? 1.0 : batch.gamma[feature];
    g.push_back(batch.grad_y.empty() ? oracle50(0) : oracle50(gamma * oracle50(batch.grad_y[at])));
  }
  compute(kind, oracle50(batch.eps));
}

Slice::Slice(std::vector<oracle50> of_x, std::vector<oracle50> of_g, Statistic kind,
             const oracle50& eps)
    : count(of_x.size()), x(std::move(of_x)), g(std::move(of_g)), valid(count, true) {
  g.resize(count);
  compute(kind, eps);
}

void Slice::compute(Statistic kind, const oracle50& eps) {
  const bool centred = kind == Statistic::variance;
  const auto n = static_cast<double>(std::count(valid.begin(), valid.end(), true));
  divisor = kind == Statistic::square_sum ? 1 : n;
  for (std::size_t i = 0; centred && i < count; ++i)
    if (valid[i]) mean += x[i];
  mean /= divisor;
  for (std::size_t i = 0; i < count; ++i)
    if (valid[i]) statistic += (x[i] - mean) * (x[i] - mean);
  statistic /= divisor;
  s = sqrt(oracle50(statistic + eps));

  amplification_ = 1;
  for (std::size_t i = 0; i < count; ++i) {
    x_hat.push_back((x[i] - mean) / s);
    amplification_ = std::max(amplification_, oracle50(1 + (absolute(x[i]) + absolute(mean)) / s));
    largest_x_hat_ = std::max(largest_x_hat_, absolute(x_hat[i]));
    sum_abs_g_ += absolute(g[i]);
  }
  const oracle50 a = centred ? oracle50(sum_g() / divisor) : oracle50(0);
  const oracle50 c = sum_g_x_hat() / divisor;
  for (std::size_t i = 0; i < count; ++i)
    grad_x.push_back((valid[i] ? oracle50(g[i] - a - x_hat[i] * c) : g[i]) / s);
}

oracle50 Slice::sum_g_x_hat() const {
  return std::inner_product(g.begin(), g.end(), x_hat.begin(), oracle50(0));
}

oracle50 Slice::sum_g() const {
  return std::accumulate(g.begin(), g.end(), oracle50(0));
}

oracle50 Slice::sum_g_squared() const {
  return std::inner_product(g.begin(), g.end(), g.begin(), oracle50(0));
}

oracle50 Slice::roundings() const {
  return (64 + 16 * static_cast<double>(count)) * epsilon50() * amplification_;
}

oracle50 Slice::x_hat_roundoff() const {
  return roundings() * (1 + largest_x_hat_);
}

oracle50 Slice::gradient_roundoff() const {
  return roundings() * (1 + largest_x_hat_ * largest_x_hat_) * sum_abs_g_ / s;
}

oracle50 Slice::square_roundoff() const {
  const oracle50 magnitude = (1 + largest_x_hat_ * largest_x_hat_) * sum_abs_g_ / s;
  return 4 * static_cast<double>(count) * magnitude * gradient_roundoff();
}

}  // namespace normproof::verification::claims
