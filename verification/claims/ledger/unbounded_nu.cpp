#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/fixtures/plain_channel.hpp"
#include "verification/claims/ledger/boundedness.hpp"

// Claims D5 and D6: no constant bounds nu if one of the assumptions of D1 and D4 is dropped. Each
// case is a constant for which a bound is claimed, with a history that exceeds the bound. In these
// comments Gamma = mean(x_hat^2) and Lambda = mean(g x_hat).
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

/// Batches of one token whose activations decay. In step t,
/// `Gamma_t = mean(x_hat^2) = min(1, 1 / (2 w t))` with `w = 1 - alpha`, and g = 1. nu then grows
/// like `sqrt(w t / 2)`, which is the fastest growth possible. A last batch with Gamma = 1 and g =
/// -1 follows.
struct DecayingActivations {
  double alpha = 0.5;
  double constant = 2;  ///< the alleged bound of rms(X~')

  double weight() const { return 1 - alpha; }
  std::size_t steps() const {
    return static_cast<std::size_t>(std::ceil(2 * constant * constant / weight()));
  }
};

/// Generates cases with a constant C from 1.5 to 96. Because the number of steps grows like C^2,
/// large values of C are rare: C exceeds c with probability (1.5/c)^2.
rc::Gen<DecayingActivations> generate_decaying_activations() {
  constexpr double kMinConstant = 1.5, kLargest = 96;
  return make_shrinking_generator<DecayingActivations>(
      [](Draw& draw) {
        DecayingActivations d;
        d.alpha = draw.chance(0.5) ? 0.5 : draw.uniform(0.05, 0.5);
        const double share = kMinConstant / kLargest;
        d.constant = kMinConstant / std::sqrt(draw.uniform(share * share, 1));
        return d;
      },
      [](const DecayingActivations& d) {
        std::vector<DecayingActivations> result;
        if (d.alpha != 0.5) result.push_back({0.5, d.constant});
        if (d.constant != 2) result.push_back({d.alpha, 2});
        return result;
      });
}

/// Returns |X~'| of the last batch, where X~' is the gradient before the division by psi. If
/// Gamma = mean(x_hat^2) of a batch is smaller than `floor`, the batch is changed so that Gamma is
/// `floor`.
Bounded last_remainder(const TestedImplementation& subject, const DecayingActivations& d,
                       double floor) {
  const ref::model::PowerNormOptions options{
      .eps = 0, .alpha_forward = d.alpha, .alpha_backward = d.alpha};
  PowerNormChannel channel(subject, options);
  const oracle50 w = 1 - oracle50(d.alpha);
  for (std::size_t t = 1; t <= d.steps(); ++t) {
    const oracle50 decayed = 1 / (2 * w * static_cast<double>(t));
    const oracle50 Gamma = std::max(std::min(oracle50(1), decayed), oracle50(floor));
    channel.step({oracle50(sqrt(Gamma) * channel.scale())}, {1});
  }
  return magnitude(channel.step({channel.scale()}, {-1}).remainder.front());
}

/// Returns a text with the maximum of rms(X̃′) after long decays at alpha = 0.9, in double. X̃′ is
/// the gradient before the division by psi.
std::string describe_long_decay(const Run& run) {
  PlainChannel channel(run.subject, ref::model::PowerNormOptions{.eps = 0});
  std::string text = "α = 0.9, Γ_t = 1/t: rms(X̃′) after the decay";
  for (int t = 1; t <= 6400; ++t) {
    channel.step({std::sqrt(channel.running_psi2() / t)}, {1});
    if (t != 100 && t != 400 && t != 1600 && t != 6400) continue;
    PlainChannel after = channel;
    const PlainChannelStep m = after.step({std::sqrt(channel.running_psi2())}, {-1});
    text += fmt::format(", T = {}: {:.2f}", t, std::fabs(m.grad_x.front() / m.rstd));
  }
  return text + ", that is about √T/6";
}

Claim claim_d5() {
  return {
      .id = "D5",
      .title = "the gradient is bounded without a lower bound on Γ",
      .statement =
          "one C for all histories: θ_t ∈ [0, 1], rms(g_t) ≤ 1 for all t, ν_0 = 0 ⇒ "
          "rms(X̃′_t) ≤ C for all t",
      .source = kBoundedGradients,
      .assumptions =
          "each case: a C from 1.5 to 96 and its history, Γ_t = min(1, 1/(2(1 − α)t)) for "
          "2C²/(1 − α) steps, then Γ = 1. Each history alone has D4's bound, with the least of its "
          "Γ_t for c; the theorem has every C",
      .expected = Verdict::refuted,
      .dropped = "Γ_t ≥ c > 0, one c for all histories",
      .check = [](const Run& run) {
        const auto about = [&](double floor) {
          return Property<DecayingActivations>{
              .cases = generate_decaying_activations(),
              .judge =
                  [&, floor](const DecayingActivations& d) {
                    const double constant = floor > 0 ? 1 + 1 / std::sqrt(floor) : d.constant;
                    return at_most(last_remainder(run.subject, d, floor), Bounded(constant));
                  },
              .describe =
                  [&, floor](const DecayingActivations& d) {
                    return fmt::format(
                        "C = {}: alpha = {}, Gamma_t = min(1, {}/t) for {} steps with g = 1, then "
                        "Gamma = 1 with g = -1: rms(X~') = {} (D4 bounds this history by {:.3g})",
                        d.constant, d.alpha, 0.5 / d.weight(), d.steps(),
                        show(last_remainder(run.subject, d, floor).value),
                        1 + std::sqrt(2 * d.weight() * static_cast<double>(d.steps())));
                  },
              .worst_meaning = "rms(X̃′) / C"};
        };
        const Evidence main = refute_with_control(
            refute_every_constant(examine(run, about(0))),
            [&] { return examine(reduce_case_count(run), about(0.25)); },
            "with Γ_t ≥ 1/4 never above 1 + 1/√(1/4) = 3");
        return add_remark(main, describe_long_decay(run));
      }};
}

/// A run of equal batches. In each batch, `theta = (1 - alpha) mean(x_hat^2)` has a given value,
/// and mean(g x_hat) = mean(x_hat^2). If the run begins with nu_0 = 0, then
/// `nu_t = 1 + (theta - 1)^t (-1)^(t+1)` after step t.
struct ResonantRun {
  double alpha = 0.5, theta = 3;
  double constant = 100;  ///< the alleged K
  std::vector<double> z = {1};

  PrescribedRun make_prescribed_run() const {
    PrescribedRun d;
    d.alpha = alpha;
    d.pushes.assign(steps_to_exceed(constant, theta - 1),
                    {.theta = theta, .along = 1, .across = 0, .z = z, .v = z});
    return d;
  }
};

rc::Gen<ResonantRun> generate_resonant_runs() {
  return make_shrinking_generator<ResonantRun>(
      [](Draw& draw) {
        ResonantRun r;
        r.alpha = draw.chance(0.5) ? 0.9 : draw.uniform(0.05, 0.99);
        r.theta = draw.uniform(2.2, 3);
        r.constant = draw_claimed_constant(draw);
        r.z.resize(draw.between(1, 3));
        for (double& v : r.z) v = draw.normal();
        if (r.z.front() == 0) r.z.front() = 1;
        return r;
      },
      [](const ResonantRun& r) {
        std::vector<ResonantRun> result;
        if (r.constant != 100) result.push_back({r.alpha, r.theta, 100, r.z});
        if (r.theta != 3) result.push_back({r.alpha, 3, r.constant, r.z});
        if (r.alpha != 0.5) result.push_back({0.5, r.theta, r.constant, r.z});
        if (r.z != std::vector<double>{1}) result.push_back({r.alpha, r.theta, r.constant, {1}});
        return result;
      });
}

/// Judges whether |nu_t| <= K max(|nu_0|, max_j |Lambda_j / Gamma_j|) in every step t. K is the
/// argument `constant`, Lambda_j = mean(g x_hat) and Gamma_j = mean(x_hat^2) in step j.
Judgement judge_multiple_bound(const TestedImplementation& subject, const PrescribedRun& d,
                               double constant) {
  PowerNormChannel channel = make_channel(subject, d);
  Bounded bound = magnitude(Bounded(d.nu));
  Judgement judged = judge_condition(true);
  for (const auto& p : d.pushes) {
    const PrescribedStepResult step = run_prescribed_step(channel, d, p);
    bound = larger(bound, magnitude(step.Lambda / step.Gamma));
    judged = worse_judgement(judged, at_most(magnitude(step.moment.nu), Bounded(constant) * bound));
  }
  return judged;
}

std::string last_nu(const TestedImplementation& subject, const PrescribedRun& d) {
  PowerNormChannel channel = make_channel(subject, d);
  for (const auto& p : d.pushes) run_prescribed_step(channel, d, p);
  return fmt::format("{}: nu = {}", show(d), show(channel.nu().value));
}

/// Returns a text about 200 steps at alpha = 0.9 and Gamma = mean(x_hat^2) = 21, in double. The
/// activations grow by sqrt(3) per step.
std::string describe_two_hundred_steps(const Run& run) {
  Draw draw(make_case_random(run, 0));
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

Claim claim_d6() {
  return {.id = "D6",
          .title = "ν is bounded for any bounded Γ",
          .statement =
              "one K for all histories: Γ_t ≤ Γ_max for all t ⇒ |ν_t| ≤ K max(|ν_0|, max_j "
              "|Λ_j/Γ_j|) for "
              "all t",
          .source = kBoundedGradients,
          .assumptions =
              "each case: a K from 1 to 2⁴⁰, a θ = (1 − α)Γ from 2.2 to 3 in every batch, and as "
              "many batches as K takes; the theorem has every K and every θ above 2",
          .expected = Verdict::refuted,
          .dropped = "θ_t < 2",
          .check = [](const Run& run) {
            const Property<ResonantRun> resonant{
                .cases = generate_resonant_runs(),
                .judge =
                    [&](const ResonantRun& r) {
                      return judge_multiple_bound(run.subject, r.make_prescribed_run(), r.constant);
                    },
                .describe =
                    [&](const ResonantRun& r) {
                      return fmt::format("K = {}: {}", r.constant,
                                         last_nu(run.subject, r.make_prescribed_run()));
                    },
                .worst_meaning = "|ν_t| / (K max(|ν_0|, max_j |Λ_j/Γ_j|))"};
            const Property<PrescribedRun> damped{
                .cases = generate_prescribed_runs(
                    {.min_theta = 0.2, .max_theta = 1.75, .max_steps = 40, .resonant = true}),
                .judge =
                    [&](const PrescribedRun& d) { return judge_multiple_bound(run.subject, d, 7); },
                .describe = [&](const PrescribedRun& d) { return last_nu(run.subject, d); },
                .worst_meaning = "|ν_t| / (7 max(|ν_0|, max_j |Λ_j/Γ_j|))"};
            const Evidence main = refute_with_control(
                refute_every_constant(examine(run, resonant)),
                [&] { return examine(reduce_case_count(run), damped); },
                "for θ from 0.2 to 1.75 K = 1.75/(2 − 1.75) = 7 does");
            return add_remark(main, describe_two_hundred_steps(run));
          }};
}

}  // namespace

std::vector<Claim> unbounded_nu_claims() {
  return {claim_d5(), claim_d6()};
}

}  // namespace normproof::verification::claims::ledger
