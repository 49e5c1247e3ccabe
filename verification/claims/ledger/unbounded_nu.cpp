#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/fixtures/plain_channel.hpp"
#include "verification/claims/ledger/boundedness.hpp"

// D5 to D8: nu grows without bound as soon as one of the assumptions of D1 and D2 is dropped.
namespace normproof::verification::claims::ledger {

namespace {

/// Activations that decay: Gamma_t = max(1/t, floor), g = 1, for `steps` batches of one token; then
/// a batch with Gamma = 1 and g = -1.
struct Decay {
  double alpha = 0.5;
  double constant = 2;  ///< the alleged bound of rms(X~')
  std::size_t steps = 1;
};

rc::Gen<Decay> decays() {
  return shrinking<Decay>(
      [](Draw& draw) {
        Decay d;
        d.alpha = draw.chance(0.5) ? 0.5 : draw.uniform(0.5, 0.75);
        d.constant = 1.5 + 0.25 * static_cast<double>(draw.between(0, 6));
        d.steps = draw.sized(1, 60);
        return d;
      },
      [](const Decay& d) {
        std::vector<Decay> result;
        for (const std::size_t steps : {d.steps / 2, d.steps - 1})
          if (steps >= 1 && steps < d.steps) result.push_back({d.alpha, d.constant, steps});
        if (d.alpha != 0.5) result.push_back({0.5, d.constant, d.steps});
        return result;
      });
}

/// |X~'| of the last batch.
Bounded last_remainder(const Subject& subject, const Decay& d, double floor) {
  const ref::model::PowerNormOptions options{
      .eps = 0, .alpha_forward = d.alpha, .alpha_backward = d.alpha};
  PowerNormChannel channel(subject, options);
  for (std::size_t t = 1; t <= d.steps; ++t) {
    const oracle50 Gamma = std::max(oracle50(1) / t, oracle50(floor));
    channel.step({oracle50(sqrt(Gamma) * channel.scale())}, {1});
  }
  return magnitude(channel.step({channel.scale()}, {-1}).remainder.front());
}

/// The largest rms(X̃′) after long decays at alpha = 0.9, in double.
std::string long_decay(const Run& run) {
  PlainChannel channel(run.subject, ref::model::PowerNormOptions{.eps = 0});
  std::string text = "α = 0.9: rms(X̃′) after the decay";
  for (int t = 1; t <= 6400; ++t) {
    channel.step({std::sqrt(channel.running_psi2() / t)}, {1});
    if (t != 100 && t != 400 && t != 1600 && t != 6400) continue;
    PlainChannel after = channel;
    const PlainMoment m = after.step({std::sqrt(channel.running_psi2())}, {-1});
    text += fmt::format(", T = {}: {:.2f}", t, std::fabs(m.grad_x.front() / m.rstd));
  }
  return text + ", that is about √T/6";
}

Claim d5() {
  return {.id = "D5",
          .title = "the gradient is bounded without a lower bound on Γ",
          .statement =
              "θ_t ∈ [0, 1] and rms(g_t) ≤ 1 for all t ⇒ rms(X̃′_t) ≤ C for all t, C "
              "independent of t",
          .source = "derived: docs/derivations/norms.md (against [SYG+20] Theorem 4)",
          .assumptions = "each case: a C from 1.5 to 3 and a length; Γ_t = 1/t, then Γ = 1",
          .expected = Verdict::refuted,
          .dropped = "Γ_t ≥ c > 0",
          .check = [](const Run& run) {
            const auto about = [&](double floor) {
              return Property<Decay>{
                  .cases = decays(),
                  .judge =
                      [&, floor](const Decay& d) {
                        const double constant = floor > 0 ? 1 + 1 / std::sqrt(floor) : d.constant;
                        return at_most(last_remainder(run.subject, d, floor), Bounded(constant));
                      },
                  .describe =
                      [&, floor](const Decay& d) {
                        return fmt::format(
                            "alpha = {}, C = {}, Gamma_t = 1/t for {} steps with g = 1, "
                            "then Gamma = 1 with g = -1: rms(X~') = {}",
                            d.alpha, d.constant, d.steps,
                            show(last_remainder(run.subject, d, floor).value));
                      },
                  .worst_meaning = "rms(X̃′) / C"};
            };
            const Evidence main = refuted_beside(
                examine(run, about(0)), [&] { return examine(fewer(run), about(0.25)); },
                "with Γ_t ≥ 1/4 never above 1 + 1/√(1/4) = 3");
            return remarked(main, long_decay(run));
          }};
}

/// |nu_t| <= 100 max(|nu_0|, max_j |Lambda_j / Gamma_j|) for all t.
Judgement within_hundredfold(const Subject& subject, const Drive& d) {
  PowerNormChannel channel = channel_of(subject, d);
  Bounded bound = magnitude(Bounded(d.nu));
  Judgement judged = whether(true);
  for (const auto& p : d.pushes) {
    const Driven step = push(channel, d, p);
    bound = larger(bound, magnitude(step.Lambda / step.Gamma));
    judged = both(judged, at_most(magnitude(step.moment.nu), Bounded(100) * bound));
  }
  return judged;
}

/// alpha = 0.9, Gamma = 21 in each of 200 steps: activations grow by sqrt(3) a step, in double.
std::string two_hundred_steps(const Run& run) {
  Draw draw(random_of(run, 0));
  PlainChannel channel(run.subject, ref::model::PowerNormOptions{.eps = 0});
  for (int t = 0; t < 200; ++t) {
    const double scale = std::sqrt(21 * channel.running_psi2());
    std::vector<double> x, g;
    for (int i = 0; i < 8; ++i) {
      x.push_back(draw.sign() * scale);
      g.push_back(draw.sign());
    }
    channel.step(x, g);
  }
  return fmt::format("α = 0.9, Γ = 21, |g| = 1: |ν| = {:.1e} after 200 steps",
                     std::fabs(channel.nu()));
}

Claim d6() {
  return {.id = "D6",
          .title = "ν is bounded for any bounded Γ",
          .statement = "Γ_t ≤ Γ_max ⇒ |ν_t| ≤ 100 max(|ν_0|, max_j |Λ_j/Γ_j|)",
          .source = "derived: docs/derivations/norms.md (against [SYG+20] Theorem 4)",
          .assumptions = "θ_t = (1 − α)Γ_t from 2.2 to 3, up to 40 steps",
          .expected = Verdict::refuted,
          .dropped = "θ_t < 2",
          .check = [](const Run& run) {
            const auto about = [&](double least_theta, double most_theta) {
              return Property<Drive>{
                  .cases = drives({.least_theta = least_theta,
                                   .most_theta = most_theta,
                                   .most_steps = 40,
                                   .resonant = true}),
                  .judge = [&](const Drive& d) { return within_hundredfold(run.subject, d); },
                  .describe =
                      [&](const Drive& d) {
                        PowerNormChannel channel = channel_of(run.subject, d);
                        for (const auto& p : d.pushes) push(channel, d, p);
                        return fmt::format("{}: nu = {}", show(d), show(channel.nu().value));
                      },
                  .worst_meaning = "|ν_t| / (100 max(|ν_0|, max_j |Λ_j/Γ_j|))"};
            };
            const Evidence main = refuted_beside(
                examine(run, about(2.2, 3)), [&] { return examine(fewer(run), about(0.2, 1.75)); },
                "the same bound for θ from 0.2 to 1.75");
            return remarked(main, two_hundred_steps(run));
          }};
}

/// The padded rows eight times as large as they were drawn, without a gradient.
History loud_pads(History h) {
  for (std::size_t t = 0; t < h.steps(); ++t) {
    for (std::size_t i = 0; i < h.rows(); ++i) {
      if (h.is_valid(i)) continue;
      h.x[t][i] *= 8;
      h.grad_y[t][i] = 0;
    }
  }
  return h;
}

/// (1 - alpha) ema_gz against ten times the largest |Lambda_j / Gamma_j| so far.
Judgement tenfold(const Subject& subject, const History& h, bool pads_in_backward) {
  auto options = h.released();
  options.pads_in_backward = pads_in_backward;
  const Bounded w = Bounded(1) - Bounded(h.alpha_backward);
  PowerNormChannel channel = channel_of(subject, options, h);
  Bounded ratio;
  Judgement judged = whether(true);
  for (std::size_t t = 0; t < h.steps(); ++t) {
    const Moment m = channel.step(row_of(h.x[t]), row_of(h.grad_y[t]), h.valid);
    if (!pads_in_backward && !(w.value * m.Gamma.value <= 1)) return discarded();
    if (m.Gamma.value == 0) continue;
    ratio = larger(ratio, magnitude(m.Lambda / m.Gamma));
    judged = both(judged, at_most(magnitude(w * m.nu), Bounded(10) * ratio));
  }
  return judged;
}

/// Half of the rows padded, 8 times as large as the tokens; random data, 200 steps, in double.
std::string stationary(const Run& run) {
  std::string text = "α = 0.9, random stationary data, |ema_gz| after 200 steps";
  for (const bool group_scaling : {false, true}) {
    Draw draw(random_of(run, 0));
    PlainChannel channel(run.subject, ref::model::PowerNormReleasedOptions{
                                          .warmup_iterations = 0, .group_scaling = group_scaling});
    std::vector<bool> valid(16, true);
    for (std::size_t i = 8; i < 16; ++i) valid[i] = false;
    for (int t = 0; t < 200; ++t) {
      std::vector<double> x, g;
      for (std::size_t i = 0; i < 16; ++i) {
        x.push_back((valid[i] ? 1 : 8) * draw.normal());
        g.push_back(valid[i] ? draw.normal() : 0);
      }
      channel.step(x, g, valid);
    }
    text += fmt::format(" {} group scaling {:.2g}", group_scaling ? "and with" : "without",
                        std::fabs(channel.nu()));
  }
  return text;
}

Claim d7() {
  return {
      .id = "D7",
      .title = "released code: ν is bounded on stationary data",
      .statement = "one batch for ever, bounded x and g ⇒ |(1 − α) ema_gz_t| ≤ 10 max_j |Λ_j/Γ_j|",
      .source = "released code; derived: docs/derivations/norms.md",
      .assumptions = "padded rows of 8 times their drawn size, without gradient; no group scaling",
      .expected = Verdict::refuted,
      .dropped = "Γ over the valid rows alone: pads make θ > 2, ψ never sees them",
      .check = [](const Run& run) {
        const auto about = [&](bool pads_in_backward) {
          return Property<History>{
              .cases = histories({.least_steps = 20,
                                  .most_steps = 30,
                                  .padded = true,
                                  .repeated = true,
                                  .start = false,
                                  .positive_eps = true}),
              .judge =
                  [&, pads_in_backward](const History& h) {
                    return tenfold(run.subject, loud_pads(h), pads_in_backward);
                  },
              .describe =
                  [&](const History& drawn) {
                    const History h = loud_pads(drawn);
                    const Moment last = play(channel_of(run.subject, h.released(), h), h).back();
                    History one = h;
                    one.x.resize(1);
                    one.grad_y.resize(1);
                    return fmt::format(
                        "{}, the same in each of {} steps: theta = {}, ema_gz = {}", show(one),
                        h.steps(),
                        show(oracle50((1 - oracle50(h.alpha_backward)) * last.Gamma.value)),
                        show(last.nu.value));
                  },
              .worst_meaning = "|(1 − α) ema_gz_t| / (10 max_j |Λ_j/Γ_j|)"};
        };
        const Evidence main = refuted_beside(
            examine(run, about(true)), [&] { return examine(fewer(run), about(false)); },
            "with pads_in_backward = false, where θ ≤ 1");
        return remarked(main, stationary(run));
      }};
}

/// The largest |nu| over the history, with the weights of line 8 as they are or swapped.
Bounded largest_nu(const Subject& subject, const History& h, bool swapped) {
  auto options = h.paper();
  if (swapped) options.alpha_backward = 1 - options.alpha_backward;
  Bounded most;
  for (const Moment& m : play(channel_of(subject, options, h), h))
    most = larger(most, magnitude(m.nu));
  return most;
}

/// 400 batches of erratic scale at alpha = 0.9, in double.
std::string erratic_batches(const Run& run) {
  std::string text = "α = 0.9, 400 batches of erratic scale: max |ν|";
  for (const bool swapped : {true, false}) {
    Draw draw(random_of(run, 0));
    PlainChannel channel(run.subject,
                         ref::model::PowerNormOptions{.alpha_backward = swapped ? 1 - 0.9 : 0.9});
    double most = 0;
    for (int t = 0; t < 400; ++t) {
      const double scale = std::fabs(draw.power(-3, 2));
      std::vector<double> x, g;
      for (int i = 0; i < 16; ++i) {
        x.push_back(scale * draw.normal());
        g.push_back(draw.normal());
      }
      most = std::max(most, std::fabs(channel.step(x, g).nu));
    }
    text += fmt::format(" {:.3g} {}", most, swapped ? "swapped," : "as printed");
  }
  return text;
}

Claim d8() {
  return {.id = "D8",
          .title = "the two weights of ν may be swapped",
          .statement =
              "ν ← ν(1 − αΓ) + αΛ in place of ν(1 − (1 − α)Γ) + (1 − α)Λ: max_t |ν_t| at "
              "most ten times as large",
          .source = "a public re-implementation; derived: docs/derivations/norms.md",
          .assumptions = "α from 0.75 to 0.95, ν_0 = 0, batches of erratic scale, no padding",
          .expected = Verdict::refuted,
          .dropped =
              "the new value's weight is 1 − α: swapped, θ = αΓ passes 2 at Γ = 2/α, about 2.2, "
              "not 20",
          .check = [](const Run& run) {
            const Evidence main = examine(
                run,
                Property<History>{
                    .cases = histories(
                        {.least_steps = 4, .most_steps = 25, .one_alpha = true, .start = false},
                        [](const History& h) {
                          return 0.75 <= h.alpha_forward && h.alpha_forward <= 0.95;
                        }),
                    .judge =
                        [&](const History& h) {
                          return at_most(largest_nu(run.subject, h, true),
                                         Bounded(100) * largest_nu(run.subject, h, false));
                        },
                    .describe =
                        [&](const History& h) {
                          return fmt::format("{}: max |nu| = {} swapped, {} as printed", show(h),
                                             show(largest_nu(run.subject, h, true).value),
                                             show(largest_nu(run.subject, h, false).value));
                        },
                    .worst_meaning = "max |ν| swapped / (100 max |ν|)"});
            return remarked(main, erratic_batches(run));
          }};
}

}  // namespace

std::vector<Claim> unbounded_nu_claims() {
  return {d5(), d6(), d7(), d8()};
}

}  // namespace normproof::verification::claims::ledger
