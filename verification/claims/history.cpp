#include "verification/claims/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace normproof::verification::claims {

namespace {

constexpr double kAlphas[] = {0.5, 0.75, 0.9, 0.99};
constexpr double kEpsOfHistories[] = {1e-8, 1e-5, 1e-3, 0.25};

double draw_alpha(Draw& draw) {
  return draw.chance(0.5) ? kAlphas[draw.between(0, 3)] : draw.uniform(0.05, 0.995);
}

std::vector<double> draw_batch(Draw& draw, std::size_t rows, double scale, double offset) {
  std::vector<double> x(rows);
  const bool dyadic = draw.chance(0.3);
  for (double& v : x) v = scale * ((dyadic ? draw.dyadic() : draw.normal()) + offset);
  return x;
}

std::vector<double> draw_gradient(Draw& draw, const std::vector<double>& x, double along) {
  std::vector<double> g(x.size());
  const bool dyadic = draw.chance(0.3);
  for (std::size_t i = 0; i < x.size(); ++i)
    g[i] = along * x[i] + (dyadic ? draw.dyadic() : draw.normal());
  return g;
}

History draw_history(Draw& draw, const HistoryKind& kind) {
  History h;
  const std::size_t wanted = draw.sized(kind.least_rows, kind.most_rows);
  const std::size_t padded = kind.padded ? draw.between(1, 2) : 0;
  const std::size_t rows = wanted + padded;
  const std::size_t steps = draw.sized(kind.least_steps, kind.most_steps);
  if (padded > 0) {
    h.valid.assign(rows, true);
    for (std::size_t left = padded; left > 0;) {
      const std::size_t i = draw.between(0, rows - 1);
      if (h.valid[i]) h.valid[i] = false, --left;
    }
  }
  const std::size_t style = draw.between(0, 3);
  const double offset = draw.chance(0.5) ? 0 : 2 * draw.normal();
  const double along = draw.chance(0.5) ? 0 : draw.normal();
  const double drift = draw.uniform(0.7, 1.6);
  double scale = style == 0 ? 1 : draw.uniform(0.25, 4);
  for (std::size_t t = 0; t < steps; ++t) {
    if (t > 0 && kind.repeated) {
      h.x.push_back(h.x.front());
      h.grad_y.push_back(h.grad_y.front());
      continue;
    }
    if (style == 2) scale *= drift;
    if (style == 3)
      scale = std::ldexp(draw.uniform(1, 2), static_cast<int>(draw.between(0, 7)) - 4);
    h.x.push_back(draw_batch(draw, rows, scale, offset));
    h.grad_y.push_back(draw_gradient(draw, h.x.back(), along));
  }
  if (draw.chance(0.3)) h.gamma = draw.chance(0.5) ? draw.dyadic() : draw.normal();
  if (kind.start && draw.chance(0.7)) h.psi2 = std::fabs(draw.power(-4, 4));
  if (kind.start && draw.chance(0.7)) h.nu = draw.normal();
  h.alpha_forward = draw_alpha(draw);
  h.alpha_backward = kind.one_alpha || draw.chance(0.5) ? h.alpha_forward : draw_alpha(draw);
  if (!kind.zero_eps && (kind.positive_eps || draw.chance(0.7)))
    h.eps = kEpsOfHistories[draw.between(0, 3)];
  if (kind.warmup) h.warmup_iterations = static_cast<std::int64_t>(draw.between(0, steps + 2));
  return h;
}

/// Without eps, a batch whose valid rows are all 0 has no psi to divide by.
bool belongs(const History& h) {
  if (h.eps > 0) return true;
  return std::all_of(h.x.begin(), h.x.end(), [&](const std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (h.is_valid(i) && x[i] != 0) return true;
    return false;
  });
}

template <class T>
void erase_at(std::vector<T>& values, std::size_t i) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
}

History without_row(const History& h, std::size_t row) {
  History result = h;
  for (auto& x : result.x) erase_at(x, row);
  for (auto& g : result.grad_y) erase_at(g, row);
  if (!h.valid.empty()) erase_at(result.valid, row);
  return result;
}

std::vector<History> simplify(const History& h, const HistoryKind& kind) {
  std::vector<History> result;
  const auto add = [&](auto change) {
    History simpler_history = h;
    change(simpler_history);
    result.push_back(std::move(simpler_history));
  };
  for (std::size_t t = h.steps(); t-- > 0 && h.steps() > kind.least_steps;) {
    add([&](History& c) {
      erase_at(c.x, t);
      erase_at(c.grad_y, t);
    });
  }
  const auto valid_rows =
      static_cast<std::size_t>(h.valid.empty() ? static_cast<std::ptrdiff_t>(h.rows())
                                               : std::count(h.valid.begin(), h.valid.end(), true));
  const bool several_pads = h.rows() - valid_rows > 1;
  for (std::size_t i = 0; i < h.rows(); ++i)
    if (h.is_valid(i) ? valid_rows > kind.least_rows : several_pads)
      result.push_back(without_row(h, i));
  if (h.gamma != 1) add([](History& c) { c.gamma = 1; });
  if (h.psi2 != 1) add([](History& c) { c.psi2 = 1; });
  for (const double v : simpler(h.nu)) add([&](History& c) { c.nu = v; });
  if (h.eps != 0 && !kind.positive_eps) add([](History& c) { c.eps = 0; });
  for (const double alpha : {0.5, 0.9}) {
    if (h.alpha_forward == alpha && h.alpha_backward == alpha) break;
    add([&](History& c) { c.alpha_forward = c.alpha_backward = alpha; });
  }
  if (h.warmup_iterations > 0) add([](History& c) { --c.warmup_iterations; });
  for (const auto field : {&History::x, &History::grad_y}) {
    for (std::size_t t = 0; t < (kind.repeated ? 1 : h.steps()); ++t) {
      for (std::size_t i = 0; i < h.rows(); ++i) {
        for (const double v : simpler((h.*field)[t][i])) {
          add([&](History& c) {
            for (std::size_t s = t; s < (kind.repeated ? c.steps() : t + 1); ++s)
              (c.*field)[s][i] = v;
          });
        }
      }
    }
  }
  return result;
}

}  // namespace

ref::model::PowerNormOptions History::paper() const {
  return {.eps = eps,
          .alpha_forward = alpha_forward,
          .alpha_backward = alpha_backward,
          .warmup_iterations = warmup_iterations};
}

ref::model::PowerNormReleasedOptions History::released() const {
  return {.eps = eps,
          .alpha_forward = alpha_forward,
          .alpha_backward = alpha_backward,
          .warmup_iterations = warmup_iterations,
          .group_scaling = false};
}

rc::Gen<History> histories(const HistoryKind& kind) {
  return histories(kind, [](const History&) { return true; });
}

rc::Gen<History> histories(const HistoryKind& kind,
                           const std::function<bool(const History&)>& accept) {
  const auto accepted = [=](const History& h) { return belongs(h) && accept(h); };
  return shrinking<History>(
      [=](Draw& draw) {
        for (int attempt = 0; attempt < 200; ++attempt) {
          History h = draw_history(draw, kind);
          if (accepted(h)) return h;
        }
        throw ref::numeric::ContractError("histories: 200 draws in a row miss the premises");
      },
      [=](const History& h) {
        std::vector<History> simpler_histories = simplify(h, kind);
        std::erase_if(simpler_histories, [&](const History& c) { return !accepted(c); });
        return simpler_histories;
      });
}

PowerNormChannel::Row row_of(const std::vector<double>& values) {
  return PowerNormChannel::Row(values.begin(), values.end());
}

Bounded unscaled(const History& h, const Bounded& e) {
  return (Bounded(1) - Bounded(h.alpha_backward)) * e;
}

PowerNormChannel paper_channel(const Subject& subject, const History& h) {
  PowerNormChannel channel = channel_of(subject, h.paper(), h);
  channel.set_nu(unscaled(h, Bounded(h.nu)));
  return channel;
}

std::vector<Moment> play(PowerNormChannel channel, const History& h) {
  std::vector<Moment> result;
  for (std::size_t t = 0; t < h.steps(); ++t)
    result.push_back(channel.step(row_of(h.x[t]), row_of(h.grad_y[t]), h.valid));
  return result;
}

std::string show(const History& h) {
  std::string text = h.alpha_forward == h.alpha_backward
                         ? fmt::format("alpha = {}", h.alpha_forward)
                         : fmt::format("alpha_forward = {}, alpha_backward = {}", h.alpha_forward,
                                       h.alpha_backward);
  text += fmt::format(", eps = {}, psi^2_0 = {}, nu_0 = {}", h.eps, h.psi2, h.nu);
  if (h.gamma != 1) text += fmt::format(", gamma = {}", h.gamma);
  if (h.warmup_iterations > 0) text += fmt::format(", W = {}", h.warmup_iterations);
  if (!h.valid.empty()) {
    const std::vector<int> flags(h.valid.begin(), h.valid.end());
    text += fmt::format(", valid = ({})", fmt::join(flags, ", "));
  }
  constexpr std::size_t kShown = 3;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    if (t == kShown && h.steps() > 2 * kShown) {
      t = h.steps() - kShown;
      text += "; ...";
    }
    text += fmt::format("; step {}: x = {}, g = {}", t + 1, show(h.x[t]), show(h.grad_y[t]));
  }
  return text;
}

}  // namespace normproof::verification::claims
