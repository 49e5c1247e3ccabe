#include "verification/claims/drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace normproof::verification::claims {

namespace {

Drive draw_drive(Draw& draw, const DriveKind& kind) {
  constexpr double kAlphas[] = {0.5, 0.75, 0.9, 0.99};
  Drive d;
  d.alpha = draw.chance(0.5) ? kAlphas[draw.between(0, 3)] : draw.uniform(0.05, 0.995);
  d.eps = draw.chance(0.5) ? 0 : 1e-5;
  if (draw.chance(0.5)) d.psi2 = std::fabs(draw.power(-4, 4));
  if (kind.start && draw.chance(0.6)) d.nu = 2 * draw.normal();
  const bool resonant = kind.resonant && draw.chance(0.5);
  const bool extreme = draw.chance(0.3);
  const std::size_t rows = draw.between(1, 3), steps = draw.sized(1, kind.most_steps);
  for (std::size_t t = 0; t < steps; ++t) {
    Drive::Push p;
    p.theta = draw.uniform(kind.least_theta, kind.most_theta);
    if (extreme) p.theta = draw.chance(0.5) ? kind.least_theta : kind.most_theta;
    p.along = 3 * draw.normal();
    p.across = draw.chance(0.5) ? 0 : draw.normal();
    if (resonant) {
      p.theta = kind.most_theta;
      p.along = t % 2 == 0 ? 1 : -1;
      p.across = 0;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      p.z.push_back(draw.normal());
      p.v.push_back(draw.normal());
    }
    if (p.z.front() == 0) p.z.front() = 1;
    d.pushes.push_back(std::move(p));
  }
  return d;
}

std::vector<Drive> simplify(const Drive& d, const DriveKind& kind) {
  std::vector<Drive> result;
  const auto add = [&](auto change) {
    Drive simpler_drive = d;
    change(simpler_drive);
    result.push_back(std::move(simpler_drive));
  };
  for (std::size_t t = d.pushes.size(); t-- > 0 && d.pushes.size() > 1;)
    add([&](Drive& c) { c.pushes.erase(c.pushes.begin() + static_cast<std::ptrdiff_t>(t)); });
  if (d.alpha != 0.5) add([](Drive& c) { c.alpha = 0.5; });
  if (d.eps != 0) add([](Drive& c) { c.eps = 0; });
  if (d.psi2 != 1) add([](Drive& c) { c.psi2 = 1; });
  if (kind.start)
    for (const double v : simpler(d.nu)) add([&](Drive& c) { c.nu = v; });
  for (std::size_t t = 0; t < d.pushes.size(); ++t) {
    const auto& p = d.pushes[t];
    if (p.z.size() > 1) {
      add([&](Drive& c) {
        c.pushes[t].z = {1};
        c.pushes[t].v = {1};
      });
    }
    for (const double v : simpler(p.theta))
      if (v >= kind.least_theta && v <= kind.most_theta)
        add([&](Drive& c) { c.pushes[t].theta = v; });
    for (const double v : simpler(p.along)) add([&](Drive& c) { c.pushes[t].along = v; });
    for (const double v : simpler(p.across)) add([&](Drive& c) { c.pushes[t].across = v; });
  }
  return result;
}

}  // namespace

rc::Gen<Drive> drives(const DriveKind& kind) {
  return shrinking<Drive>([=](Draw& draw) { return draw_drive(draw, kind); },
                          [=](const Drive& d) { return simplify(d, kind); });
}

std::string show(const Drive& d) {
  std::string text =
      fmt::format("alpha = {}, eps = {}, psi^2_0 = {}, nu_0 = {}", d.alpha, d.eps, d.psi2, d.nu);
  constexpr std::size_t kShown = 4;
  for (std::size_t t = 0; t < d.pushes.size(); ++t) {
    if (t == kShown && d.pushes.size() > 2 * kShown) {
      t = d.pushes.size() - kShown;
      text += "; ...";
    }
    const auto& p = d.pushes[t];
    text += fmt::format("; step {}: theta = {}, g = {} x_hat", t + 1, p.theta, p.along);
    if (p.across != 0) text += fmt::format(" + {} {}", p.across, show(p.v));
    if (p.z.size() > 1) text += fmt::format(", x_hat along {}", show(p.z));
  }
  return text;
}

PowerNormChannel channel_of(const Subject& subject, const Drive& d) {
  PowerNormChannel channel(subject,
                           ref::model::PowerNormOptions{
                               .eps = d.eps, .alpha_forward = d.alpha, .alpha_backward = d.alpha});
  channel.set_running_psi2(d.psi2);
  channel.set_nu(Bounded(d.nu));
  return channel;
}

const oracle50& margin() {
  static const oracle50 value = oracle50(0x1p-100);
  return value;
}

Bounded root_mean_square(const std::vector<Bounded>& values) {
  std::vector<Bounded> squares;
  squares.reserve(values.size());
  for (const Bounded& v : values) squares.push_back(v * v);
  return sqrt(mean(squares));
}

Driven push(PowerNormChannel& channel, const Drive& d, const Drive::Push& p, double limit) {
  const std::size_t rows = p.z.size();
  oracle50 squares = 0;
  for (const double z : p.z) squares += oracle50(z) * z;
  const oracle50 Gamma = p.theta * (1 - margin()) / (1 - oracle50(d.alpha));
  const oracle50 factor = sqrt(oracle50(Gamma * rows / squares));
  PowerNormChannel::Row x, g;
  oracle50 g_squares = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const oracle50 x_hat = p.z[i] * factor;
    x.push_back(x_hat * channel.scale());
    g.push_back(p.along * x_hat + oracle50(p.across) * p.v[i]);
    g_squares += g.back() * g.back();
  }
  const oracle50 size = sqrt(oracle50(g_squares / rows));
  if (limit > 0 && size > limit)
    for (oracle50& v : g) v *= limit * (1 - margin()) / size;

  Driven result;
  result.psi = sqrt(channel.running_psi2() + Bounded(d.eps));
  std::vector<Bounded> x_hat_squared, g_x_hat;
  for (std::size_t i = 0; i < rows; ++i) {
    result.x_hat.push_back(Bounded(x[i]) / result.psi);
    result.g.emplace_back(g[i]);
    x_hat_squared.push_back(result.x_hat[i] * result.x_hat[i]);
    g_x_hat.push_back(result.g[i] * result.x_hat[i]);
  }
  result.Gamma = mean(x_hat_squared);
  result.Lambda = mean(g_x_hat);
  result.moment = channel.step(x, g);
  return result;
}

}  // namespace normproof::verification::claims
