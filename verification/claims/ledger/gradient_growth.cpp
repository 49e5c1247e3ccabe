#include <fmt/format.h>

#include <algorithm>

#include "verification/claims/ledger/boundedness.hpp"

// Claims D9, D10 and D11: statements that the bound of PowerNorm's gradient does not imply.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

/// Returns the history with its last batch scaled to about a thousandth (2^-10).
History shrink_last_batch(History h) {
  for (double& x : h.x.back()) x *= 0x1p-10;
  return h;
}

/// The quantities of the bound `|grad_x_i| <= (|g_i| + |nu x_hat_i|) / sqrt(psi_(t-1)^2 + eps)` in
/// the last step. psi_(t-1)^2 is the running quadratic mean before the step, and nu has the paper's
/// units.
struct LastStep {
  std::vector<Bounded> gradient, bound;
};
template <class Options>
LastStep last_step(const TestedImplementation& subject, const Options& options, const History& h,
                   const Bounded& unit) {
  PowerNormChannel channel = make_channel(subject, options, h);
  for (std::size_t t = 0; t + 1 < h.steps(); ++t)
    channel.step(to_bounded_row(h.x[t]), to_bounded_row(h.grad_y[t]));
  const Bounded nu = unit * channel.nu();
  const Bounded psi = sqrt(channel.running_psi2() + Bounded(h.eps));
  const ChannelMoment m = channel.step(to_bounded_row(h.x.back()), to_bounded_row(h.grad_y.back()));
  LastStep result;
  for (std::size_t i = 0; i < h.rows(); ++i) {
    const Bounded g = Bounded(h.gamma) * Bounded(h.grad_y.back()[i]);
    const Bounded x_hat = Bounded(h.x.back()[i]) / psi;
    result.gradient.push_back(magnitude(m.grad_x[i]));
    result.bound.push_back((magnitude(g) + magnitude(nu * x_hat)) / psi);
  }
  return result;
}

Judgement judge_all_bounds(const LastStep& step) {
  Judgement judged = judge_condition(true);
  for (std::size_t i = 0; i < step.bound.size(); ++i)
    judged = worse_judgement(judged, at_most(step.gradient[i], step.bound[i]));
  return judged;
}

/// Returns a text with the largest gradient after a long run of batches of scale 1 and a last batch
/// of scale 1e-3 with g = 1.
std::string describe_small_last_batch(const Run& run) {
  Draw draw(make_case_random(run, 0));
  History h;
  h.alpha_forward = h.alpha_backward = 0.9;
  h.eps = 1e-5;
  for (int t = 0; t < 100; ++t) {
    std::vector<double> x, g;
    for (int i = 0; i < 6; ++i) {
      x.push_back((t < 99 ? 1 : 1e-3) * draw.normal());
      g.push_back(t < 99 ? draw.normal() : 1);
    }
    h.x.push_back(x);
    h.grad_y.push_back(g);
  }
  const auto largest = [](const LastStep& step) {
    oracle50 most = 0;
    for (const Bounded& v : step.gradient) most = std::max(most, v.value);
    return show(most);
  };
  return fmt::format(
      "a batch with ψ_B ≈ 1e-3 after 99 with ψ_B ≈ 1, |g| = 1, ε = 1e-5: largest "
      "|grad_x| {} released, {} in the paper; the limit is √((ψ² + ε)/ε) ≈ 316",
      largest(last_step(run.subject, h.released(), h, Bounded(1) - Bounded(0.9))),
      largest(last_step(run.subject, h.paper(), h, Bounded(1))));
}

Claim claim_d9() {
  return {
      .id = "D9",
      .title = "released code: a quiet batch is harmless",
      .statement = "|grad_x_i| ≤ (|g_i| + |ν x̂_i|)/√(ψ_{t−1}² + ε), the paper's bound",
      .source = "released code against [SYG+20] Algorithm 2, line 7",
      .assumptions = "any history, the last batch 2⁻¹⁰ of its drawn size; no group scaling, W = 0",
      .expected = Verdict::refuted,
      .dropped = "division by √(ψ_{t−1}² + ε): the released code divides by the batch's",
      .check = [](const Run& run) {
        const auto about = [&](bool released) {
          const auto step = [&, released](const History& drawn) {
            const History h = shrink_last_batch(drawn);
            return released ? last_step(run.subject, h.released(), h,
                                        Bounded(1) - Bounded(h.alpha_backward))
                            : last_step(run.subject, h.paper(), h, Bounded(1));
          };
          return Property<History>{
              .cases = generate_histories({.max_steps = 8, .positive_eps = true}),
              .judge = [step](const History& h) { return judge_all_bounds(step(h)); },
              .describe =
                  [step](const History& h) {
                    const LastStep last = step(h);
                    return fmt::format("{}: first |grad_x| of the last step {}, bound {}",
                                       show(shrink_last_batch(h)),
                                       show(last.gradient.front().value),
                                       show(last.bound.front().value));
                  },
              .worst_meaning = "|grad_x_i| / its bound"};
        };
        const Evidence main = refute_with_control(
            examine(run, about(true)),
            [&] { return examine(reduce_case_count(run), about(false)); },
            "the bound in power_norm");
        return add_remark(main, describe_small_last_batch(run));
      }};
}

/// A channel with nu = 1, which is the maximum of nu if Gamma = mean(x_hat^2) = 1 and rms(g) = 1.
/// The next batch has k^2 tokens: one has x_hat = k, the others have x_hat = 0, so that Gamma = 1
/// again.
struct Outlier {
  std::size_t k = 1;
  double alpha = 0.5;
  std::vector<double> signs;  ///< g of the k^2 tokens, each +-1
};

rc::Gen<Outlier> generate_outliers() {
  return make_shrinking_generator<Outlier>(
      [](Draw& draw) {
        Outlier o;
        o.k = draw.size_for_case(1, 9);
        o.alpha = draw.chance(0.5) ? 0.5 : draw.uniform(0.1, 0.99);
        for (std::size_t i = 0; i < o.k * o.k; ++i) o.signs.push_back(draw.sign());
        return o;
      },
      [](const Outlier& o) {
        std::vector<Outlier> result;
        const auto smaller = [&](std::size_t k) {
          Outlier c = o;
          c.k = k;
          c.signs.resize(k * k);
          result.push_back(c);
        };
        if (o.k > 1) smaller(1);
        if (o.k > 2) smaller(2);
        if (o.k > 1) smaller(o.k - 1);
        if (o.alpha != 0.5) {
          result.push_back(o);
          result.back().alpha = 0.5;
        }
        return result;
      });
}

ChannelMoment run_outlier_batch(const TestedImplementation& subject, const Outlier& o) {
  PowerNormChannel channel(
      subject,
      ref::model::PowerNormOptions{.eps = 0, .alpha_forward = o.alpha, .alpha_backward = o.alpha});
  channel.set_nu(Bounded(1));
  PowerNormChannel::Row x(o.signs.size(), 0);
  x.front() = static_cast<double>(o.k);
  return channel.step(x, to_bounded_row(o.signs));
}

Claim claim_d10() {
  return {.id = "D10",
          .title = "the bound holds row by row",
          .statement =
              "Γ_t = 1 and rms(g_t) ≤ 1 for all t ⇒ |X̃′_i| ≤ 1 + √(Γ_t/c) = 2 for each token i",
          .source = kBoundedGradients,
          .assumptions = "c = Γ = 1, |g_i| = 1, ν_0 = 1; B = k² tokens, one of which is not 0",
          .expected = Verdict::refuted,
          .dropped = "a bound on |x̂_i| itself: Γ = 1 allows √B in a batch of B tokens",
          .check = [](const Run& run) {
            const auto about = [&](bool per_row) {
              return Property<Outlier>{
                  .cases = generate_outliers(),
                  .judge =
                      [&, per_row](const Outlier& o) {
                        const ChannelMoment m = run_outlier_batch(run.subject, o);
                        Judgement judged = judge_condition(true);
                        for (std::size_t i = 0; i < o.signs.size(); ++i) {
                          const double x_hat = i == 0 ? static_cast<double>(o.k) : 0;
                          judged = worse_judgement(
                              judged, at_most(magnitude(m.remainder[i]),
                                              per_row ? Bounded(1 + x_hat) : Bounded(2)));
                        }
                        return judged;
                      },
                  .describe =
                      [&](const Outlier& o) {
                        return fmt::format(
                            "alpha = {}, nu = 1, B = {} tokens, x_hat = ({}, 0, ..., 0), "
                            "g = ({}, ...): X~'_1 = {}",
                            o.alpha, o.signs.size(), o.k, o.signs.front(),
                            show(run_outlier_batch(run.subject, o).remainder.front().value));
                      },
                  .worst_meaning = "|X̃′_i| / 2"};
            };
            return refute_with_control(
                examine(run, about(false)),
                [&] { return examine(reduce_case_count(run), about(true)); },
                "|X̃′_i| ≤ |g_i| + (G/√c)|x̂_i|");
          }};
}

Claim claim_d11() {
  return {.id = "D11",
          .title = "PowerNorm's backward is a contraction",
          .statement = "‖X̃′_t‖ ≤ ‖g_t‖, as for the projector of PN-V",
          .source = "derived: docs/derivations/norms.md",
          .assumptions = "any α, ε, and ψ² and ν at the start; no padding",
          .expected = Verdict::refuted,
          .dropped = "ν = Λ/Γ of the batch itself: a stale ν may have the opposite sign",
          .check = [](const Run& run) {
            const auto gradient = [](const History& h) {
              std::vector<Bounded> g;
              for (const double v : h.grad_y.back()) g.push_back(Bounded(h.gamma) * Bounded(v));
              return g;
            };
            const auto last = [&](const History& h) {
              return run_history(make_channel(run.subject, h.paper(), h), h).back();
            };
            const auto describe = [&](const History& h) {
              return fmt::format("{}: ‖X~'‖/√B = {}, ‖g‖/√B = {}", show(h),
                                 show(root_mean_square(last(h).remainder).value),
                                 show(root_mean_square(gradient(h)).value));
            };
            const auto about = [&](std::function<Judgement(const History&)> judge) {
              return Property<History>{.cases = generate_histories({.max_steps = 6}),
                                       .judge = std::move(judge),
                                       .describe = describe,
                                       .worst_meaning = "‖X̃′‖ / ‖g‖"};
            };
            const Evidence main = examine(run, about([&](const History& h) {
                                            return at_most(root_mean_square(last(h).remainder),
                                                           root_mean_square(gradient(h)));
                                          }));
            return refute_with_control(
                main,
                [&] {
                  return examine(
                      reduce_case_count(run), about([&](const History& h) {
                        const auto& x = h.x.back();
                        if (h.eps == 0 &&
                            std::all_of(x.begin(), x.end(), [](double v) { return v == 0; }))
                          return discarded();
                        std::vector<Bounded> row;
                        for (const double v : x) row.emplace_back(v);
                        const Bounded s =
                            sqrt(root_mean_square(row) * root_mean_square(row) + Bounded(h.eps));
                        std::vector<Bounded> remainder;
                        for (const Bounded& v :
                             power_norm_v_gradient(run.subject, to_bounded_row(x),
                                                   to_bounded_row(h.grad_y.back()), h.gamma, h.eps))
                          remainder.push_back(v * s);
                        return at_most(root_mean_square(remainder), root_mean_square(gradient(h)));
                      }));
                },
                "‖s grad_x‖ ≤ ‖g‖ in power_norm_v");
          }};
}

}  // namespace

std::vector<Claim> gradient_growth_claims() {
  return {claim_d9(), claim_d10(), claim_d11()};
}

}  // namespace normproof::verification::claims::ledger
