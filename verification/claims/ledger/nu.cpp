#include <fmt/format.h>

#include "verification/claims/ledger/recursion.hpp"

// Claims C1, C2, C4 and C8: the recursion of PowerNorm's state nu.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

constexpr auto kAnyStateText =
    "any α, ε, ψ² and ν at the start; no padding, no group scaling, W = 0";

std::string last_nu(const History& h, const Bounded& released, const Bounded& expected) {
  return fmt::format("{}: (1 − α) e = {}, expected {}", show(h),
                     show(convert_to_paper_units(h, released).value), show(expected.value));
}

Judgement judge_same_recursion(const TestedImplementation& subject, const History& h) {
  const auto released = run_history(make_channel(subject, h.released(), h), h);
  const auto paper = run_history(paper_channel(subject, h), h);
  Judgement judged = judge_condition(true);
  for (std::size_t t = 0; t < h.steps(); ++t) {
    judged = worse_judgement(judged, agree(convert_to_paper_units(h, released[t].nu), paper[t].nu));
    judged = worse_judgement(judged, agree(released[t].remainder, paper[t].remainder));
    judged = worse_judgement(judged, agree(released[t].running_psi2, paper[t].running_psi2));
  }
  return judged;
}

Bounded mean_of_remainder_times_x_hat(const ChannelMoment& m) {
  std::vector<Bounded> terms;
  for (std::size_t i = 0; i < m.x_hat.size(); ++i) terms.push_back(m.remainder[i] * m.x_hat[i]);
  return mean(terms);
}

/// The change `nu_T - nu_0` over a history, and the sum of the increments of all steps. These two
/// numbers should be equal.
struct TelescopingSum {
  Bounded moved, added;
};
TelescopingSum telescoping_sum(const PowerNormChannel& start, const History& h) {
  const auto moments = run_history(start, h);
  std::vector<Bounded> terms;
  terms.reserve(moments.size());
  for (const ChannelMoment& m : moments) terms.push_back(mean_of_remainder_times_x_hat(m));
  return {moments.back().nu - start.nu(), sum(terms)};
}

/// Computes the backward that is proposed in issue 3 of the released code. In this proposal, nu has
/// the paper's units, and `mean((1 - alpha) (g - nu z) z)` is added to nu, where z is the
/// normalized input x_hat. Returns the outgoing gradients `g - nu z` of the proposed backward.
std::vector<std::vector<Bounded>> proposed_remainders(const History& h,
                                                      const std::vector<ChannelMoment>& moments) {
  const Bounded w = Bounded(1) - Bounded(h.alpha_backward);
  Bounded nu = convert_to_paper_units(h, Bounded(h.nu));
  std::vector<std::vector<Bounded>> result;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    std::vector<Bounded> remainder, terms;
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const Bounded g = Bounded(h.gamma) * Bounded(h.grad_y[t][i]);
      remainder.push_back(g - nu * moments[t].x_hat[i]);
      terms.push_back(remainder.back() * moments[t].x_hat[i] * w);
    }
    nu += mean(terms);
    result.push_back(remainder);
  }
  return result;
}

Judgement moving_average_of_lambda(const PowerNormChannel& start, const History& h,
                                   const Bounded& unit) {
  Judgement judged = judge_condition(true);
  const Bounded alpha(h.alpha_backward);
  Bounded expected = unit * start.nu();
  for (const ChannelMoment& m : run_history(start, h)) {
    expected = alpha * expected + (Bounded(1) - alpha) * m.Lambda;
    judged = worse_judgement(judged, agree(m.Gamma, Bounded(1)));
    judged = worse_judgement(judged, agree(unit * m.nu, expected));
  }
  return judged;
}

History describe_warm_up(History h) {
  h.warmup_iterations = static_cast<std::int64_t>(h.steps()) + 1;
  return h;
}

Claim claim_c1() {
  return {
      .id = "C1",
      .title = "released ν is the paper's ν, rescaled",
      .statement =
          "ν_t = (1 − α) ema_gz_t, with identical X̃′_t and ψ_t², where the released code "
          "has e ← e + mean((g − (1 − α) e x̂) x̂) and the paper "
          "ν ← ν(1 − (1 − α)Γ) + (1 − α)Λ",
      .source = "released code against [SYG+20] Algorithm 2; derived: docs/derivations/norms.md",
      .assumptions = kAnyStateText,
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        return examine(
            run,
            Property<History>{
                .cases = generate_histories({}),
                .judge = [&](const History& h) { return judge_same_recursion(run.subject, h); },
                .describe =
                    [&](const History& h) {
                      return last_nu(
                          h, run_history(make_channel(run.subject, h.released(), h), h).back().nu,
                          run_history(paper_channel(run.subject, h), h).back().nu);
                    },
                .worst_meaning = kRounding});
      }};
}

Claim claim_c2() {
  return {.id = "C2",
          .title = "ν telescopes",
          .statement =
              "ν_T − ν_0 = (1 − α) Σ_t mean(X̃′_t x̂_t), and "
              "ema_gz_T − ema_gz_0 = Σ_t mean(X̃′_t x̂_t)",
          .source = "[CPV+19]; derived: docs/derivations/norms.md",
          .assumptions = kAnyStateText,
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto sides = [&](const History& h) {
              return std::pair{telescoping_sum(make_channel(run.subject, h.paper(), h), h),
                               telescoping_sum(make_channel(run.subject, h.released(), h), h)};
            };
            return examine(
                run, Property<History>{
                         .cases = generate_histories({}),
                         .judge =
                             [&](const History& h) {
                               const auto [paper, released] = sides(h);
                               return worse_judgement(
                                   agree(paper.moved, convert_to_paper_units(h, paper.added)),
                                   agree(released.moved, released.added));
                             },
                         .describe =
                             [&](const History& h) {
                               const auto [paper, released] = sides(h);
                               return fmt::format(
                                   "{}: ν moves by {}, (1 − α)Σ = {}; ema_gz moves by {}, Σ = {}",
                                   show(h), show(paper.moved.value),
                                   show(convert_to_paper_units(h, paper.added).value),
                                   show(released.moved.value), show(released.added.value));
                             },
                         .worst_meaning = kRounding});
          }};
}

Claim claim_c4() {
  return {.id = "C4",
          .title = "the repair proposed in issue 3 changes nothing",
          .statement =
              "ν ← ν + mean((1 − α)(g − ν x̂) x̂) in place of the released lines gives the "
              "same X̃′_t in every step",
          .source = "issue 3 of the released code; derived: docs/derivations/norms.md",
          .assumptions = kAnyStateText,
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return examine(
                run, Property<History>{
                         .cases = generate_histories({}),
                         .judge =
                             [&](const History& h) {
                               const auto moments =
                                   run_history(make_channel(run.subject, h.released(), h), h);
                               const auto proposed = proposed_remainders(h, moments);
                               Judgement judged = judge_condition(true);
                               for (std::size_t t = 0; t < h.steps(); ++t)
                                 judged = worse_judgement(judged,
                                                          agree(moments[t].remainder, proposed[t]));
                               return judged;
                             },
                         .describe =
                             [&](const History& h) {
                               const auto moments =
                                   run_history(make_channel(run.subject, h.released(), h), h);
                               return fmt::format(
                                   "{}: X̃′ of the last step begins with {}, proposed {}", show(h),
                                   show(moments.back().remainder.front().value),
                                   show(proposed_remainders(h, moments).back().front().value));
                             },
                         .worst_meaning = kRounding});
          }};
}

Claim claim_c8() {
  return {.id = "C8",
          .title = "in warm-up ν is an exact moving average",
          .statement =
              "while x̂_t = x_t/ψ_B and ε = 0: Γ_t = 1, hence ν_t = α ν_{t−1} + (1 − α)Λ_t, "
              "of power_norm and (as (1 − α) ema_gz) of the released code",
          .source = "derived: docs/derivations/norms.md",
          .assumptions = "t ≤ W, ε = 0, no batch of zeros; no padding, no group scaling",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return examine(
                run,
                Property<History>{
                    .cases = generate_histories({.zero_eps = true}),
                    .judge =
                        [&](const History& drawn) {
                          const History h = describe_warm_up(drawn);
                          return worse_judgement(
                              moving_average_of_lambda(make_channel(run.subject, h.paper(), h), h,
                                                       Bounded(1)),
                              moving_average_of_lambda(make_channel(run.subject, h.released(), h),
                                                       h, Bounded(1) - Bounded(h.alpha_backward)));
                        },
                    .describe =
                        [&](const History& drawn) {
                          const History h = describe_warm_up(drawn);
                          const auto m =
                              run_history(make_channel(run.subject, h.paper(), h), h).back();
                          return fmt::format("{}: in the last step Γ = {}, Λ = {}, ν = {}", show(h),
                                             show(m.Gamma.value), show(m.Lambda.value),
                                             show(m.nu.value));
                        },
                    .worst_meaning = kRounding});
          }};
}

}  // namespace

std::vector<Claim> nu_claims() {
  return {claim_c1(), claim_c2(), claim_c4(), claim_c8()};
}

}  // namespace normproof::verification::claims::ledger
