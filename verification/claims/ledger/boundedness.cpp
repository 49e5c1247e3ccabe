#include "verification/claims/ledger/boundedness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/fixtures/plain_channel.hpp"

// Claims D1 to D4 and D12: bounds of the state nu and of PowerNorm's gradient. In these comments
// theta = (1 - alpha) Gamma, Gamma = mean(x_hat^2) and Lambda = mean(g x_hat), where g is the
// upstream gradient.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

/// Returns |Lambda / Gamma| of a step, with Lambda = mean(g x_hat) and Gamma = mean(x_hat^2). If
/// Gamma is 0, the step does not change nu, and the result is 0.
Bounded lambda_gamma_ratio(const PrescribedStepResult& step) {
  return step.Gamma.value == 0 ? Bounded(0) : magnitude(step.Lambda / step.Gamma);
}

Judgement judge_convex_bound(const TestedImplementation& subject, const PrescribedRun& d) {
  PowerNormChannel channel = make_channel(subject, d);
  Bounded bound = magnitude(Bounded(d.nu));
  Judgement judged = judge_condition(true);
  for (const auto& p : d.pushes) {
    const PrescribedStepResult step = run_prescribed_step(channel, d, p);
    bound = larger(bound, lambda_gamma_ratio(step));
    judged = worse_judgement(judged, at_most(magnitude(step.moment.nu), bound));
  }
  return judged;
}

/// Returns a text with |nu| after the last step and the maximum over all steps of |Lambda / Gamma|,
/// where Lambda = mean(g x_hat) and Gamma = mean(x_hat^2).
std::string describe_extreme_values(const TestedImplementation& subject, const PrescribedRun& d) {
  PowerNormChannel channel = make_channel(subject, d);
  Bounded ratio;
  for (const auto& p : d.pushes)
    ratio = larger(ratio, lambda_gamma_ratio(run_prescribed_step(channel, d, p)));
  return fmt::format("{}: nu = {}, max |Lambda/Gamma| = {}", show(d), show(channel.nu().value),
                     show(ratio.value));
}

Claim claim_d1() {
  return {
      .id = "D1",
      .title = "ν is a weighted mean of what it has seen",
      .statement =
          "θ_t = (1 − α)Γ_t ∈ [0, 1] for all t ⇒ ν_t is a convex combination of ν_0 and "
          "the Λ_j/Γ_j, hence |ν_t| ≤ max(|ν_0|, max_j |Λ_j/Γ_j|)",
      .source = kBoundedGradients,
      .assumptions = "0 ≤ Γ_t ≤ 1/(1 − α); any gradients, any start",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        return examine(
            run,
            Property<PrescribedRun>{
                .cases = generate_prescribed_runs({}),
                .judge = [&](const PrescribedRun& d) { return judge_convex_bound(run.subject, d); },
                .describe =
                    [&](const PrescribedRun& d) { return describe_extreme_values(run.subject, d); },
                .worst_meaning = "|ν_t| / max(|ν_0|, max_j |Λ_j/Γ_j|)"});
      }};
}

constexpr double kMaxTheta = 1.75;

Judgement judge_theta_below_two(const TestedImplementation& subject, const PrescribedRun& d) {
  PowerNormChannel channel = make_channel(subject, d);
  Bounded ratio, theta = 1;
  for (const auto& p : d.pushes) theta = larger(theta, Bounded(p.theta));
  Judgement judged = judge_condition(true);
  for (const auto& p : d.pushes) {
    const PrescribedStepResult step = run_prescribed_step(channel, d, p);
    ratio = larger(ratio, lambda_gamma_ratio(step));
    const Bounded bound = ratio * theta / (Bounded(2) - theta);
    judged = worse_judgement(
        judged, at_most(magnitude(step.moment.nu), larger(magnitude(Bounded(d.nu)), bound)));
  }
  return judged;
}

Claim claim_d2() {
  return {
      .id = "D2",
      .title = "ν stays bounded for θ below 2",
      .statement =
          "θ_t ∈ [0, θ_max], 1 ≤ θ_max < 2, |Λ_j/Γ_j| ≤ R ⇒ "
          "|ν_t| ≤ max(|ν_0|, R θ_max/(2 − θ_max))",
      .source = "derived: docs/derivations/norms.md",
      .assumptions = "θ_max up to 1.75; any gradients, any start",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        return examine(
            run,
            Property<PrescribedRun>{
                .cases = generate_prescribed_runs({.max_theta = kMaxTheta, .resonant = true}),
                .judge =
                    [&](const PrescribedRun& d) { return judge_theta_below_two(run.subject, d); },
                .describe =
                    [&](const PrescribedRun& d) { return describe_extreme_values(run.subject, d); },
                .worst_meaning = "|ν_t| / max(|ν_0|, R θ_max/(2 − θ_max)); attained where "
                                 "θ = θ_max and the signs of Λ alternate"});
      }};
}

Claim claim_d3() {
  return {
      .id = "D3",
      .title = "Cauchy–Schwarz for Λ",
      .statement = "|Λ| ≤ rms(g) √Γ over the valid rows, hence |Λ/Γ| ≤ rms(g)/√Γ",
      .source = "derived: docs/derivations/norms.md",
      .assumptions = "any batch, with padded rows; any α, ε and state",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const auto sides = [&](const History& h) {
          const ChannelMoment m = run_history(make_channel(run.subject, h.paper(), h), h).back();
          std::vector<Bounded> g;
          for (std::size_t i = 0; i < h.rows(); ++i)
            if (h.is_valid(i)) g.push_back(Bounded(h.gamma) * Bounded(h.grad_y.back()[i]));
          return std::pair{magnitude(m.Lambda), root_mean_square(g) * sqrt(m.Gamma)};
        };
        return examine(run, Property<History>{
                                .cases = generate_histories({.max_steps = 3, .padded = true}),
                                .judge =
                                    [&](const History& h) {
                                      const auto [left, right] = sides(h);
                                      return at_most(left, right);
                                    },
                                .describe =
                                    [&](const History& h) {
                                      const auto [left, right] = sides(h);
                                      return fmt::format("{}: |Λ| = {}, rms(g)√Γ = {}", show(h),
                                                         show(left.value), show(right.value));
                                    },
                                .worst_meaning = "|Λ| / (rms(g) √Γ), attained where g is along x̂"});
      }};
}

/// The minimum of theta = (1 - alpha) mean(x_hat^2) over all steps of a case.
constexpr double kMinTheta = 0.25;

Judgement judge_uniform_bounds(const TestedImplementation& subject, const PrescribedRun& d) {
  PowerNormChannel channel = make_channel(subject, d);
  const Bounded w = Bounded(1) - Bounded(d.alpha);
  const Bounded c = Bounded(kMinTheta) * Bounded(oracle50(1 - 2 * margin_to_limits())) / w;
  const Bounded root_c = sqrt(c);
  Judgement judged = judge_condition(true);
  for (const auto& p : d.pushes) {
    const PrescribedStepResult step = run_prescribed_step(channel, d, p, 1);
    const Bounded size = root_mean_square(step.moment.remainder);
    judged = worse_judgement(judged, at_most(size, Bounded(1) + sqrt(step.Gamma) / root_c));
    judged = worse_judgement(judged, at_most(size, Bounded(1) + Bounded(1) / sqrt(w * c)));
    judged = worse_judgement(judged, at_most(magnitude(step.moment.nu), Bounded(1) / root_c));
    for (std::size_t i = 0; i < step.g.size(); ++i) {
      const Bounded row = magnitude(step.g[i]) + magnitude(step.x_hat[i]) / root_c;
      judged = worse_judgement(judged, at_most(magnitude(step.moment.remainder[i]), row));
      judged = worse_judgement(judged, at_most(magnitude(step.moment.grad_x[i]), row / step.psi));
    }
  }
  return judged;
}

/// Returns a text that says how tight the bound of claim D4 is in one example. In all steps except
/// the last one, Gamma = mean(x_hat^2) is small and constant, and g is a positive multiple of
/// x_hat. nu approaches its maximum in these steps. The last step has Gamma = 1/(1 - alpha) and a g
/// of opposite sign.
std::string describe_tightness(const Run& run) {
  PrescribedRun d;
  d.alpha = 0.9;
  for (int t = 0; t < 60; ++t)
    d.pushes.push_back({.theta = t < 59 ? kMinTheta : 1,
                        .along = t < 59 ? 4.0 : -4.0,
                        .across = 0,
                        .z = {1},
                        .v = {0}});
  PowerNormChannel channel = make_channel(run.subject, d);
  Bounded size;
  for (const auto& p : d.pushes)
    size = root_mean_square(run_prescribed_step(channel, d, p, 1).moment.remainder);
  return fmt::format(
      "α = 0.9, (1 − α)c = {}, g turned round in the step with Γ = 10: rms(X̃′) "
      "attains {:.5f} of G(1 + 1/√((1 − α)c))",
      kMinTheta, static_cast<double>(size.value) / 3);
}

Claim claim_d4() {
  return {
      .id = "D4",
      .title = "PowerNorm's gradient is bounded, uniformly in t",
      .statement =
          "c ≤ Γ_t ≤ 1/(1 − α), rms(g_t) ≤ G, ν_0 = 0 ⇒ |ν_t| ≤ G/√c, rms(X̃′_t) ≤ "
          "G(1 + √(Γ_t/c)) ≤ G(1 + 1/√((1 − α)c)), and by row |X̃′_i| ≤ |g_i| + "
          "(G/√c)|x̂_i|, |grad_x_i| ≤ that/√(ψ_{t−1}² + ε)",
      .source = kBoundedGradients,
      .assumptions = "(1 − α)c = 0.25, G = 1; any directions, up to 30 steps",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const Evidence main = examine(
            run,
            Property<PrescribedRun>{
                .cases = generate_prescribed_runs({.min_theta = kMinTheta, .start = false}),
                .judge =
                    [&](const PrescribedRun& d) { return judge_uniform_bounds(run.subject, d); },
                .describe =
                    [&](const PrescribedRun& d) { return describe_extreme_values(run.subject, d); },
                .worst_meaning = "the largest share of any of the five bounds"});
        return add_remark(main, describe_tightness(run));
      }};
}

/// Judges whether the time average of mean(X~' x_hat) over T steps decays like 1/T. X~' is the
/// gradient before the division by psi, nu_0 is the initial state, Lambda_j = mean(g x_hat) and
/// Gamma_j = mean(x_hat^2) in step j:
///   (1/T) |sum_t mean(X~' x_hat)| <= 2 max(|nu_0|, max_j |Lambda_j / Gamma_j|) / ((1 - alpha) T).
Judgement judge_decay(const TestedImplementation& subject, const PrescribedRun& d) {
  PowerNormChannel channel = make_channel(subject, d);
  Bounded bound = magnitude(Bounded(d.nu)), total;
  double steps = 0;
  Judgement judged = judge_condition(true);
  for (const auto& p : d.pushes) {
    const PrescribedStepResult step = run_prescribed_step(channel, d, p);
    bound = larger(bound, lambda_gamma_ratio(step));
    std::vector<Bounded> terms;
    for (std::size_t i = 0; i < step.x_hat.size(); ++i)
      terms.push_back(step.moment.remainder[i] * step.x_hat[i]);
    total += mean(terms);
    const Bounded T(++steps);
    judged = worse_judgement(
        judged,
        at_most(magnitude(total) / T, Bounded(2) * bound / ((Bounded(1) - Bounded(d.alpha)) * T)));
  }
  return judged;
}

/// Returns a text with the time average of mean(X~' x_hat) over 20000 random batches, computed in
/// double.
std::string describe_long_average(const Run& run) {
  Draw draw(make_case_random(run, 0));
  PlainChannel channel(run.subject, ref::model::PowerNormOptions{.eps = 0});
  double total = 0;
  std::string text = "α = 0.9, random data, time average of mean(X̃′ x̂)";
  for (int t = 1; t <= 20000; ++t) {
    std::vector<double> x, g;
    for (int i = 0; i < 8; ++i) {
      x.push_back(draw.normal() + 0.5);
      g.push_back(draw.normal() + 0.7 * x.back());
    }
    const PlainChannelStep m = channel.step(x, g);
    for (std::size_t i = 0; i < x.size(); ++i) total += m.grad_x[i] / m.rstd * (x[i] * m.rstd) / 8;
    if (t == 20 || t == 200 || t == 2000 || t == 20000)
      text += fmt::format(", T = {}: {:.1e}", t, std::fabs(total) / t);
  }
  return text;
}

Claim claim_d12() {
  return {
      .id = "D12",
      .title = "X̃′ and x̂ are orthogonal in the time average",
      .statement =
          "θ_t ∈ [0, 1] ⇒ (1/T)|Σ_{t≤T} mean(X̃′_t x̂_t)| = |ν_T − ν_0|/((1 − α)T) ≤ "
          "2 max(|ν_0|, max_j |Λ_j/Γ_j|)/((1 − α)T): it decays like 1/T",
      .source = "[CPV+19]; derived: docs/derivations/norms.md",
      .assumptions = "0 ≤ Γ_t ≤ 1/(1 − α); any gradients, any start",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const Evidence main = examine(
            run,
            Property<PrescribedRun>{
                .cases = generate_prescribed_runs({}),
                .judge = [&](const PrescribedRun& d) { return judge_decay(run.subject, d); },
                .describe =
                    [&](const PrescribedRun& d) { return describe_extreme_values(run.subject, d); },
                .worst_meaning = "time average / its bound, over all T"});
        return add_remark(main, describe_long_average(run));
      }};
}

}  // namespace

std::vector<Claim> bounded_claims() {
  return {claim_d1(), claim_d2(), claim_d3(), claim_d4(), claim_d12()};
}

double draw_claimed_constant(Draw& draw) {
  return std::ldexp(draw.uniform(1, 2), static_cast<int>(draw.between(0, 39)));
}

std::size_t steps_to_exceed(double constant, double growth) {
  std::size_t steps = 0;
  for (double grown = 1; !(grown > constant + 2); grown *= growth) ++steps;
  return steps;
}

std::vector<Claim> boundedness_claims() {
  std::vector<Claim> all;
  for (const auto& part : {bounded_claims(), unbounded_nu_claims(), other_recursion_claims(),
                           gradient_growth_claims(), sparse_channel_claims()})
    all.insert(all.end(), part.begin(), part.end());
  const auto number = [](const Claim& claim) { return std::stoi(claim.id.substr(1)); };
  std::sort(all.begin(), all.end(),
            [&](const Claim& a, const Claim& b) { return number(a) < number(b); });
  return all;
}

}  // namespace normproof::verification::claims::ledger
