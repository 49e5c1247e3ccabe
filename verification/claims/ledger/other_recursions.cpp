#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/fixtures/plain_channel.hpp"
#include "verification/claims/ledger/boundedness.hpp"

// Claim D7: the recursion of nu in the released code, where padding influences it. Claim D8: the
// recursion with its weights swapped. Each case is a constant for which a bound is claimed, with a
// history that exceeds the bound.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

// ---- D7

/// A batch that is repeated in every step. Its valid rows have the inputs x and the gradients g.
/// running_psi2 starts at the mean square of x. The padded rows have gradients of zero. Their
/// inputs are so large that `theta = (1 - alpha) mean(x_hat^2)` over all rows has a given value.
struct LargePadding {
  double alpha = 0.5, theta = 4;
  double constant = 100;  ///< the alleged K
  std::vector<double> x = {1}, g = {1};
  std::size_t pads = 1;

  History history() const {
    const auto valid = static_cast<double>(x.size()), padded = static_cast<double>(pads);
    double square = 0;
    for (const double v : x) square += v * v / valid;
    const double loud =
        std::sqrt(square * (theta * (valid + padded) / (1 - alpha) - valid) / padded);
    History h;
    h.alpha_forward = h.alpha_backward = alpha;
    h.psi2 = square;
    h.x.assign(steps_to_exceed(constant, theta - 1) + 1, x);
    h.grad_y.assign(h.x.size(), g);
    h.valid.assign(x.size(), true);
    h.valid.resize(x.size() + pads, false);
    for (std::size_t t = 0; t < h.steps(); ++t) {
      h.x[t].resize(h.valid.size(), loud);
      h.grad_y[t].resize(h.valid.size(), 0);
    }
    return h;
  }
};

rc::Gen<LargePadding> large_padding_cases() {
  return make_shrinking_generator<LargePadding>(
      [](Draw& draw) {
        LargePadding l;
        l.alpha = draw.chance(0.5) ? 0.9 : draw.uniform(0.2, 0.95);
        l.theta = draw.uniform(2.5, 6);
        l.constant = draw_claimed_constant(draw);
        l.pads = draw.between(1, 2);
        l.x.resize(draw.between(1, 3));
        l.g.resize(l.x.size());
        const double along = draw.normal();
        for (std::size_t i = 0; i < l.x.size(); ++i) {
          l.x[i] = draw.normal();
          l.g[i] = along * l.x[i] + draw.normal();
        }
        if (l.x.front() == 0) l.x.front() = 1;
        return l;
      },
      [](const LargePadding& l) {
        const LargePadding least;
        std::vector<LargePadding> result;
        const auto add = [&](auto change) {
          result.push_back(l);
          change(result.back());
        };
        if (l.constant != least.constant)
          add([&](LargePadding& c) { c.constant = least.constant; });
        if (l.theta != least.theta) add([&](LargePadding& c) { c.theta = least.theta; });
        if (l.alpha != least.alpha) add([&](LargePadding& c) { c.alpha = least.alpha; });
        if (l.pads != least.pads) add([&](LargePadding& c) { c.pads = least.pads; });
        if (l.x != least.x || l.g != least.g)
          add([&](LargePadding& c) { c.x = least.x, c.g = least.g; });
        return result;
      });
}

/// Judges in every step whether `(1 - alpha) ema_gz`, which is the released code's nu in the
/// paper's units, is at most `constant` times a maximum. This is the maximum of |Lambda / Gamma|
/// over the steps up to this step, with Lambda = mean(g x_hat) and Gamma = mean(x_hat^2).
Judgement judge_multiple_of_ratios(const TestedImplementation& subject, const History& h,
                                   double constant, bool pads_in_backward) {
  auto options = h.released();
  options.pads_in_backward = pads_in_backward;
  const Bounded w = Bounded(1) - Bounded(h.alpha_backward);
  PowerNormChannel channel = make_channel(subject, options, h);
  Bounded ratio;
  Judgement judged = judge_condition(true);
  for (std::size_t t = 0; t < h.steps(); ++t) {
    const ChannelMoment m =
        channel.step(to_bounded_row(h.x[t]), to_bounded_row(h.grad_y[t]), h.valid);
    if (!pads_in_backward && !(w.value * m.Gamma.value <= 1)) return discarded();
    if (m.Gamma.value == 0) continue;
    ratio = larger(ratio, magnitude(m.Lambda / m.Gamma));
    judged = worse_judgement(judged, at_most(magnitude(w * m.nu), Bounded(constant) * ratio));
  }
  return judged;
}

std::string show_repeated_history(const TestedImplementation& subject, const History& h) {
  const ChannelMoment last = run_history(make_channel(subject, h.released(), h), h).back();
  History one = h;
  one.x.resize(1);
  one.grad_y.resize(1);
  return fmt::format("{}, the same in each of {} steps: theta = {}, ema_gz = {}", show(one),
                     h.steps(), show(oracle50((1 - oracle50(h.alpha_backward)) * last.Gamma.value)),
                     show(last.nu.value));
}

/// Returns a text about 200 steps of random data in double. Half of the rows are padding. The
/// numbers in rows of padding are 8 times as large as the numbers in real tokens.
std::string describe_random_steps(const Run& run) {
  std::string text = "α = 0.9, random stationary data, |ema_gz| after 200 steps";
  for (const bool group_scaling : {false, true}) {
    Draw draw(make_case_random(run, 0));
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

Claim claim_d7() {
  return {.id = "D7",
          .title = "released code: ν is bounded on stationary data",
          .statement =
              "one K for all: one batch for ever, bounded x and g ⇒ |(1 − α) ema_gz_t| ≤ K max_j "
              "|Λ_j/Γ_j| "
              "for all t",
          .source = "released code; derived: docs/derivations/norms.md",
          .assumptions =
              "each case: a K from 1 to 2⁴⁰, a batch with loud padded rows, without gradient, that "
              "make θ 2.5 to 6, and as many steps as K takes; no group scaling. The theorem has "
              "every K",
          .expected = Verdict::refuted,
          .dropped = "Γ over the valid rows alone: pads make θ > 2, ψ never sees them",
          .check = [](const Run& run) {
            const Property<LargePadding> loud{
                .cases = large_padding_cases(),
                .judge =
                    [&](const LargePadding& l) {
                      return judge_multiple_of_ratios(run.subject, l.history(), l.constant, true);
                    },
                .describe =
                    [&](const LargePadding& l) {
                      return fmt::format("K = {}: {}", l.constant,
                                         show_repeated_history(run.subject, l.history()));
                    },
                .worst_meaning = "|(1 − α) ema_gz_t| / (K max_j |Λ_j/Γ_j|)"};
            const Property<History> valid_alone{
                .cases = generate_histories({.min_steps = 20,
                                             .max_steps = 30,
                                             .padded = true,
                                             .repeated = true,
                                             .start = false,
                                             .positive_eps = true}),
                .judge =
                    [&](const History& h) {
                      return judge_multiple_of_ratios(run.subject, h, 1, false);
                    },
                .describe = [&](const History& h) { return show_repeated_history(run.subject, h); },
                .worst_meaning = "|(1 − α) ema_gz_t| / max_j |Λ_j/Γ_j|"};
            const Evidence main = refute_with_control(
                refute_every_constant(examine(run, loud)),
                [&] { return examine(reduce_case_count(run), valid_alone); },
                "with pads_in_backward = false, where θ ≤ 1, K = 1 does");
            return add_remark(main, describe_random_steps(run));
          }};
}

// ---- D8

/// A batch with a given Gamma = mean(x_hat^2) and with mean(g x_hat) = Gamma. It is repeated until
/// the recursion with swapped weights exceeds a constant. `alpha * Gamma` is at least 2.5, and
/// `(1 - alpha) Gamma` is at most 1.
struct SwappedWeights {
  double alpha = 0.75, Gamma = 4;
  double constant = 100;  ///< the alleged K
  std::vector<double> z = {1};

  PrescribedRun make_prescribed_run() const {
    PrescribedRun d;
    d.alpha = alpha;
    d.pushes.assign(
        steps_to_exceed(constant, alpha * Gamma - 1),
        {.theta = std::min((1 - alpha) * Gamma, 1.0), .along = 1, .across = 0, .z = z, .v = z});
    return d;
  }
};

rc::Gen<SwappedWeights> generate_swapped_weights() {
  return make_shrinking_generator<SwappedWeights>(
      [](Draw& draw) {
        SwappedWeights s;
        s.alpha = draw.chance(0.5) ? 0.9 : draw.uniform(0.75, 0.95);
        s.Gamma = draw.uniform(2.5 / s.alpha, 1 / (1 - s.alpha));
        s.constant = draw_claimed_constant(draw);
        s.z.resize(draw.between(1, 3));
        for (double& v : s.z) v = draw.normal();
        if (s.z.front() == 0) s.z.front() = 1;
        return s;
      },
      [](const SwappedWeights& s) {
        std::vector<SwappedWeights> result;
        if (s.constant != 100) result.push_back({s.alpha, s.Gamma, 100, s.z});
        if (s.alpha != 0.75 || s.Gamma != 4) result.push_back({0.75, 4, s.constant, s.z});
        if (s.z != std::vector<double>{1}) result.push_back({s.alpha, s.Gamma, s.constant, {1}});
        return result;
      });
}

/// Returns the maximum of |nu| over the history. If `swapped`, the recursion swaps the two weights
/// of line 8 of the algorithm; otherwise it uses them as the algorithm states.
Bounded largest_nu(const TestedImplementation& subject, const SwappedWeights& s, bool swapped) {
  const PrescribedRun d = s.make_prescribed_run();
  PowerNormChannel channel(
      subject,
      ref::model::PowerNormOptions{
          .eps = 0, .alpha_forward = s.alpha, .alpha_backward = swapped ? 1 - s.alpha : s.alpha});
  Bounded most;
  for (const auto& p : d.pushes)
    most = larger(most, magnitude(run_prescribed_step(channel, d, p).moment.nu));
  return most;
}

/// Returns a text about 400 batches of erratic scale at alpha = 0.9, computed in double.
std::string describe_erratic_batches(const Run& run) {
  std::string text = "α = 0.9, 400 batches of erratic scale: max |ν|";
  for (const bool swapped : {true, false}) {
    Draw draw(make_case_random(run, 0));
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

Claim claim_d8() {
  return {
      .id = "D8",
      .title = "the two weights of ν may be swapped",
      .statement =
          "one K for all histories: ν ← ν(1 − αΓ) + αΛ in place of ν(1 − (1 − α)Γ) + (1 − α)Λ "
          "makes "
          "max_t |ν_t| at most K times as large",
      .source = "a public re-implementation; derived: docs/derivations/norms.md",
      .assumptions =
          "each case: a K from 1 to 2⁴⁰, α from 0.75 to 0.95, ν_0 = 0, a Γ with (1 − α)Γ ≤ 1 and "
          "αΓ ≥ 2.5, and as many batches as K takes; the theorem has every K",
      .expected = Verdict::refuted,
      .dropped =
          "the new value's weight is 1 − α: swapped, θ = αΓ passes 2 at Γ = 2/α, about 2.2, "
          "not 20",
      .check = [](const Run& run) {
        const auto about = [&](bool swapped) {
          return Property<SwappedWeights>{
              .cases = generate_swapped_weights(),
              .judge =
                  [&, swapped](const SwappedWeights& s) {
                    if (!swapped) return at_most(largest_nu(run.subject, s, false), Bounded(1));
                    return at_most(largest_nu(run.subject, s, true),
                                   Bounded(s.constant) * largest_nu(run.subject, s, false));
                  },
              .describe =
                  [&](const SwappedWeights& s) {
                    return fmt::format("K = {}: {}: max |nu| = {} swapped, {} as printed",
                                       s.constant, show(s.make_prescribed_run()),
                                       show(largest_nu(run.subject, s, true).value),
                                       show(largest_nu(run.subject, s, false).value));
                  },
              .worst_meaning = "max |ν| swapped / (K max |ν|)"};
        };
        const Evidence main = refute_with_control(
            refute_every_constant(examine(run, about(true))),
            [&] { return examine(reduce_case_count(run), about(false)); },
            "as printed max |ν| ≤ max |Λ/Γ| on the same histories");
        return add_remark(main, describe_erratic_batches(run));
      }};
}

}  // namespace

std::vector<Claim> other_recursion_claims() {
  return {claim_d7(), claim_d8()};
}

}  // namespace normproof::verification::claims::ledger
