#include <fmt/format.h>

#include "verification/claims/ledger/recursion.hpp"

// Claims C5, C6 and C7: the recursion of PowerNorm's running psi.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

/// The bound of claim C5, in which one batch is repeated. It bounds the distance between the
/// gradients of power_norm and power_norm_v at row i of step t >= 2. Steps are counted from 1.
class ApproachBound {
 public:
  ApproachBound(const History& h, const ChannelMoment& first)
      : h_(h), alpha_(h.alpha_forward), psi2_(first.quadratic_mean) {
    delta_1_ = Bounded(h.psi2) / psi2_ - Bounded(1);
    std::vector<Bounded> terms;
    for (std::size_t i = 0; i < h.rows(); ++i) terms.push_back(g(i) * Bounded(h.x.front()[i]));
    limit_ = magnitude(mean(terms) / sqrt(psi2_));
  }

  Bounded bound(std::size_t t, std::size_t i) const {
    const Bounded before = delta_1_ * power(t - 2), now = delta_1_ * power(t - 1);
    const Bounded w = Bounded(1) - alpha_;
    const Bounded steps(static_cast<double>(t - 1));
    const Bounded memory =
        power(t - 1) * (magnitude(Bounded(1) + delta_1_ / alpha_) * magnitude(Bounded(h_.nu)) +
                        limit_ + w / alpha_ * steps * limit_ * magnitude(delta_1_));
    const Bounded drift = limit_ * (magnitude(now) + magnitude(before) + magnitude(now * before));
    return magnitude(g(i)) * magnitude(now) / sqrt(psi2_ * (Bounded(1) + now)) +
           magnitude(Bounded(h_.x.front()[i])) * (memory + drift) /
               (psi2_ * (Bounded(1) + now) * (Bounded(1) + before));
  }

 private:
  Bounded g(std::size_t i) const { return Bounded(h_.gamma) * Bounded(h_.grad_y.front()[i]); }
  Bounded power(std::size_t exponent) const {
    Bounded result = 1;
    for (std::size_t k = 0; k < exponent; ++k) result *= alpha_;
    return result;
  }

  const History& h_;
  Bounded alpha_, psi2_, delta_1_, limit_;
};

Judgement judge_approach(const TestedImplementation& subject, const History& h) {
  const auto moments = run_history(make_channel(subject, h.paper(), h), h);
  const auto target = power_norm_v_gradient(subject, to_bounded_row(h.x.front()),
                                            to_bounded_row(h.grad_y.front()), h.gamma, h.eps);
  const ApproachBound approach(h, moments.front());
  Judgement judged = judge_condition(true);
  for (std::size_t t = 2; t <= h.steps(); ++t)
    for (std::size_t i = 0; i < h.rows(); ++i)
      judged = worse_judgement(
          judged, at_most(magnitude(moments[t - 1].grad_x[i] - target[i]), approach.bound(t, i)));
  return judged;
}

/// Returns the maximum of |grad_x - target| divided by the maximum of |target|, at the last step.
/// Here grad_x is the gradient of power_norm, and `target` is the gradient of power_norm_v.
double distance(const TestedImplementation& subject, const History& h, const ChannelMoment& m) {
  const auto target = power_norm_v_gradient(subject, to_bounded_row(h.x.front()),
                                            to_bounded_row(h.grad_y.front()), h.gamma, h.eps);
  oracle50 difference = 0, size = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    difference = std::max(difference, oracle50(abs(oracle50(m.grad_x[i].value - target[i].value))));
    size = std::max(size, oracle50(abs(target[i].value)));
  }
  return static_cast<double>(oracle50(difference / size));
}

/// Returns a text about one batch that is repeated 600 times at alpha = 0.9.
std::string describe_long_approach(const Run& run) {
  Draw draw(make_case_random(run, 0));
  History h;
  h.alpha_forward = h.alpha_backward = 0.9;
  std::vector<double> x, g;
  for (int i = 0; i < 8; ++i) {
    x.push_back(2 * draw.normal() + 1);
    g.push_back(draw.normal());
  }
  h.x = {x};
  h.grad_y = {g};
  PowerNormChannel channel = make_channel(run.subject, h.paper(), h);
  std::string text = "relative distance at α = 0.9";
  for (int t = 1; t <= 600; ++t) {
    const ChannelMoment m = channel.step(to_bounded_row(x), to_bounded_row(g));
    if (t == 1 || t == 50 || t == 200 || t == 600)
      text += fmt::format(", t = {}: {:.1e}", t, distance(run.subject, h, m));
  }
  return text;
}

Claim claim_c5() {
  return {.id = "C5",
          .title = "a repeated batch: PowerNorm's gradient becomes PN-V's",
          .statement =
              "one batch for ever, ε = 0: |grad_x_t − grad_x of PN-V| ≤ b_t = O(t αᵗ), with "
              "δ_t = αᵗ⁻¹(ψ_0²/ψ_B² − 1) and b_t explicit in α, δ_t, ν_0 and Λ",
          .source = "derived: docs/derivations/norms.md",
          .assumptions = "one α forward and backward, ψ_B > 0, ε = 0, t ≥ 2; any ψ_0 > 0 and ν_0",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const Evidence main = examine(
                run, Property<History>{
                         .cases = generate_histories({.min_steps = 2,
                                                      .max_steps = 24,
                                                      .one_alpha = true,
                                                      .repeated = true,
                                                      .zero_eps = true}),
                         .judge = [&](const History& h) { return judge_approach(run.subject, h); },
                         .describe =
                             [&](const History& h) {
                               const auto moments =
                                   run_history(make_channel(run.subject, h.paper(), h), h);
                               return fmt::format("{}: relative distance after {} steps {:.3g}",
                                                  show(h), h.steps(),
                                                  distance(run.subject, h, moments.back()));
                             },
                         .worst_meaning = "|grad_x_t − grad_x of PN-V| / b_t, over all t ≥ 2"});
            return add_remark(main, describe_long_approach(run));
          }};
}

Claim claim_c6() {
  return {.id = "C6",
          .title = "ψ² forgets its start at the rate α",
          .statement = "one batch for ever: ψ_t² − ψ_B² = αᵗ(ψ_0² − ψ_B²)",
          .source = "[SYG+20] Algorithm 2; derived: docs/derivations/norms.md",
          .assumptions = "any α, ε and ψ_0 > 0; W = 0",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return examine(
                run, Property<History>{
                         .cases = generate_histories({.max_steps = 24, .repeated = true}),
                         .judge =
                             [&](const History& h) {
                               Judgement judged = judge_condition(true);
                               Bounded power = 1;
                               for (const ChannelMoment& m :
                                    run_history(make_channel(run.subject, h.paper(), h), h)) {
                                 power *= Bounded(h.alpha_forward);
                                 judged = worse_judgement(
                                     judged, agree(m.running_psi2 - m.quadratic_mean,
                                                   power * (Bounded(h.psi2) - m.quadratic_mean)));
                               }
                               return judged;
                             },
                         .describe =
                             [&](const History& h) {
                               const auto m =
                                   run_history(make_channel(run.subject, h.paper(), h), h).back();
                               return fmt::format("{}: after {} steps ψ² = {}, ψ_B² = {}", show(h),
                                                  h.steps(), show(m.running_psi2.value),
                                                  show(m.quadratic_mean.value));
                             },
                         .worst_meaning = kRounding});
          }};
}

/// Returns running_psi2 after each step, computed by the single moving average of claim C7 from the
/// initial value `psi2`.
std::vector<Bounded> single_moving_average(const History& h,
                                           const std::vector<ChannelMoment>& moments) {
  std::vector<Bounded> result;
  Bounded psi2 = h.psi2;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    const auto n = static_cast<double>(t + 1);
    const bool cumulative = static_cast<std::int64_t>(t + 1) < h.warmup_iterations;
    const Bounded weight = cumulative ? Bounded(h.alpha_forward) * Bounded(n - 1) / Bounded(n)
                                      : Bounded(h.alpha_forward);
    psi2 = weight * psi2 + (Bounded(1) - weight) * moments[t].quadratic_mean;
    result.push_back(psi2);
  }
  return result;
}

Claim claim_c7() {
  return {.id = "C7",
          .title = "the two updates of ψ² in warm-up are one",
          .statement =
              "released code, n < W: ψ_n² = c ψ_{n−1}² + (1 − c) ψ_B² with c = α(n − 1)/n, so "
              "that n = 1 forgets the start; n ≥ W: c = α",
          .source = "released code; derived: docs/derivations/norms.md",
          .assumptions = "any α, ε, W and ψ_0 > 0; no group scaling",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto moments = [&](const History& h) {
              return run_history(make_channel(run.subject, h.released(), h), h);
            };
            const auto forgets = [&](const History& h) {
              if (h.warmup_iterations < 2) return judge_condition(true);
              History other = h;
              other.psi2 = h.psi2 + 1;
              return judge_condition(moments(h).back().running_psi2.value ==
                                     moments(other).back().running_psi2.value);
            };
            return examine(run, Property<History>{
                                    .cases = generate_histories({.warmup = true}),
                                    .judge =
                                        [&](const History& h) {
                                          Judgement judged = forgets(h);
                                          const auto played = moments(h);
                                          const auto expected = single_moving_average(h, played);
                                          for (std::size_t t = 0; t < h.steps(); ++t)
                                            judged = worse_judgement(
                                                judged, agree(played[t].running_psi2, expected[t]));
                                          return judged;
                                        },
                                    .describe =
                                        [&](const History& h) {
                                          const auto played = moments(h);
                                          return fmt::format(
                                              "{}: after {} steps ψ² = {}, expected {}", show(h),
                                              h.steps(), show(played.back().running_psi2.value),
                                              show(single_moving_average(h, played).back().value));
                                        },
                                    .worst_meaning = kRounding});
          }};
}

}  // namespace

std::vector<Claim> psi_claims() {
  return {claim_c5(), claim_c6(), claim_c7()};
}

}  // namespace normproof::verification::claims::ledger
