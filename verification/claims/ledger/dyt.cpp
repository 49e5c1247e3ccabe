#include <fmt/format.h>
#include <rapidcheck/gen/Transform.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ref/numeric/elementary.hpp"
#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/backward_check.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/ledger.hpp"

// Claims F1 to F5: dynamic tanh, y = gamma tanh(alpha x) + beta, which does not normalize.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

/// Generates batches for dynamic tanh. A batch stores alpha in its member `extra`. alpha and gamma
/// may be negative.
rc::Gen<Batch> dyt_batches(std::size_t min_rows, std::size_t min_features) {
  const BatchKind kind{.min_rows = min_rows,
                       .max_rows = 6,
                       .min_features = min_features,
                       .max_features = 4,
                       .min_eps = 0,
                       .max_eps = 0,
                       .extras = 1};
  return rc::gen::map(batches(kind), [](Batch b) {
    if (b.features % 2 == 0) b.extra[0] = -b.extra[0];
    return b;
  });
}

double alpha_of(const Batch& b) {
  return b.extra[0];
}
double gamma_of(const Batch& b, std::size_t at) {
  return b.gamma.empty() ? 1 : b.gamma[at % b.features];
}
double beta_of(const Batch& b, std::size_t at) {
  return b.beta.empty() ? 0 : b.beta[at % b.features];
}

template <class T>
NormInputs<T> inputs_of(const Batch& b) {
  NormInputs<T> in = b.inputs<T>();
  in.others.set("alpha", ref::tensor::full_tensor<T>({1}, T(alpha_of(b))));
  return in;
}

template <class T>
NormStep<T> step_of(const TestedImplementation& subject, const Batch& b) {
  return subject.step<T>(ref::model::DyTOptions{}, inputs_of<T>(b));
}

std::string show_squashed_batch(const Batch& b) {
  return fmt::format("{}, α = {}", show(b), alpha_of(b));
}

// ---- F1: one element, computed by plain mathematics. The slope is 1/cosh^2.

struct Point {
  oracle50 u, t, slope;
  Point(const Batch& b, std::size_t at) : u(oracle50(alpha_of(b)) * b.x[at]), t(tanh(u)) {
    const oracle50 c = cosh(u);
    slope = 1 / (c * c);
  }
  /// Returns a bound of the rounding error of t = tanh(u), and also of 1 - t^2. Both functions are
  /// at most 1, and their derivatives are at most 1. The rounding error of u is proportional to
  /// |u|.
  oracle50 roundoff() const { return 16 * epsilon50() * (1 + absolute(u)); }
};

Judgement check_formula(const TestedImplementation& subject, const Batch& b) {
  const NormStep<oracle50> step = step_of<oracle50>(subject, b);
  Judgement all = judge_condition(true);
  Vector grad_gamma(b.features), grad_beta(b.features), off_gamma(b.features), off_beta(b.features);
  oracle50 grad_alpha = 0, off_alpha = 0;
  const oracle50 rows = static_cast<double>(b.rows), count = static_cast<double>(b.x.size());
  for (std::size_t at = 0; at < b.x.size(); ++at) {
    const Point p(b, at);
    const oracle50 dy = b.grad_y[at], g = dy * gamma_of(b, at);
    const oracle50 grad_x = alpha_of(b) * g * p.slope;
    all = worse_judgement(all, within(absolute(step.outputs.at("y").data()[at] -
                                               (gamma_of(b, at) * p.t + beta_of(b, at))),
                                      p.roundoff() * std::fabs(gamma_of(b, at)) +
                                          4 * epsilon50() * std::fabs(beta_of(b, at))));
    all = worse_judgement(all, within(absolute(step.outputs.at("grad_x").data()[at] - grad_x),
                                      p.roundoff() * absolute(g * alpha_of(b))));
    const std::size_t d = at % b.features;
    grad_gamma[d] += dy * p.t;
    grad_beta[d] += dy;
    off_gamma[d] += (1 + rows) * p.roundoff() * absolute(dy);
    off_beta[d] += rows * epsilon50() * absolute(dy);
    grad_alpha += g * p.slope * b.x[at];
    off_alpha += (1 + count) * p.roundoff() * absolute(g * b.x[at]);
  }
  for (std::size_t d = 0; d < b.features; ++d) {
    all = worse_judgement(
        all,
        within(absolute(step.outputs.at("grad_gamma").data()[d] - grad_gamma[d]), off_gamma[d]));
    all = worse_judgement(
        all, within(absolute(step.outputs.at("grad_beta").data()[d] - grad_beta[d]), off_beta[d]));
  }
  return worse_judgement(
      all, within(absolute(step.outputs.at("grad_alpha").data()[0] - grad_alpha), off_alpha));
}

// Compares a derivative. Runs the forward on dual numbers in the direction x_i = grad_y_i, gamma =
// beta = alpha = 1.
Judgement check_derivative(const TestedImplementation& subject, const Batch& b) {
  NormInputs<dual> in = inputs_of<dual>(b);
  const ref::tensor::Tensor<dual> ones = ref::tensor::full_tensor<dual>({b.features}, dual(1));
  if (b.gamma.empty()) in.gamma = ones;
  if (b.beta.empty()) in.beta = ref::tensor::full_tensor<dual>({b.features}, dual(0));
  for (std::size_t i = 0; i < b.x.size(); ++i) in.x.data()[i].derivative = b.grad_y[i];
  for (std::size_t d = 0; d < b.features; ++d)
    in.gamma.data()[d].derivative = in.beta.data()[d].derivative = 1;
  in.others.at("alpha").data()[0].derivative = 1;
  const oracle50 along = slope(subject, ref::model::DyTOptions{}, std::move(in), {}, b.grad_y);

  const NormStep<oracle50> step = step_of<oracle50>(subject, b);
  oracle50 sum = step.outputs.at("grad_alpha").data()[0], off = 0;
  for (std::size_t d = 0; d < b.features; ++d)
    sum += step.outputs.at("grad_gamma").data()[d] + step.outputs.at("grad_beta").data()[d];
  const oracle50 count = static_cast<double>(b.x.size());
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    sum += step.outputs.at("grad_x").data()[i] * b.grad_y[i];
    const oracle50 dy = b.grad_y[i], g = dy * gamma_of(b, i);
    off += 2 * (2 + count) * Point(b, i).roundoff() *
           (absolute(g * alpha_of(b) * dy) + absolute(g * b.x[i]) + 2 * absolute(dy));
  }
  return within(absolute(along - sum), off);
}

Claim backward_claim() {
  return {.id = "F1",
          .title = "DyT's backward is the derivative of its forward",
          .statement =
              "∂L/∂x = γα ∂L/∂y/cosh²(αx), ∂L/∂α = Σ γ x ∂L/∂y/cosh²(αx), ∂L/∂γ = Σ_rows ∂L/∂y "
              "tanh(αx), ∂L/∂β = Σ_rows ∂L/∂y",
          .source = "[ZCHLL25] Algorithm 1; derived: docs/derivations/claims.md, F1 to F5",
          .assumptions = "any x, α, γ, β; saturated elements too",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return examine(
                run, Property<Batch>{.cases = dyt_batches(1, 1),
                                     .judge =
                                         [&](const Batch& b) {
                                           return worse_judgement(check_formula(subject, b),
                                                                  check_derivative(subject, b));
                                         },
                                     .describe = show_squashed_batch,
                                     .worst_meaning = "|gradient − formula| or |gradient − "
                                                      "slope by dual numbers| / bound of "
                                                      "rounding at 50 digits"});
          }};
}

// ---- F2

Claim bounded_claim() {
  return {
      .id = "F2",
      .title = "DyT's output is bounded",
      .statement = "|y − β| ≤ |γ| for every x, however large",
      .source = "derived: docs/derivations/claims.md, F1 to F5",
      .assumptions = "none: no statistic has to exist",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const auto& subject = run.subject;
        const auto of_the_bound = [&](const Batch& b) {
          const auto y = step_of<double>(subject, b).outputs.at("y");
          Judgement all = judge_condition(true);
          // Rounding is monotone, so |t| <= 1 and |gamma t| <= |gamma| hold after rounding too;
          // then beta is added.
          for (std::size_t at = 0; at < b.x.size(); ++at) {
            const double gamma = std::fabs(gamma_of(b, at)), beta = beta_of(b, at);
            all = worse_judgement(
                all, judge_condition(y.data()[at] <= beta + gamma && y.data()[at] >= beta - gamma));
            all =
                worse_judgement(all, within(oracle50(absolute(oracle50(y.data()[at]) - beta)),
                                            oracle50(gamma + 0x1p-52 * (gamma + std::fabs(beta)))));
          }
          return all;
        };
        return examine(run, Property<Batch>{.cases = dyt_batches(1, 1),
                                            .judge = of_the_bound,
                                            .describe = show_squashed_batch,
                                            .worst_meaning = "|y − β| / |γ|, up to a rounding"});
      }};
}

// ---- F3: compares two inputs x_0 and x_1 of one feature.

struct TwoPoints {
  oracle50 rise, run, bound;
};

TwoPoints compute_chord(const TestedImplementation& subject, const Batch& b, std::size_t j) {
  const auto y = step_of<oracle50>(subject, b).outputs.at("y");
  const std::size_t k = b.features + j;
  const oracle50 gamma = std::fabs(gamma_of(b, j));
  return {absolute(y.data()[j] - y.data()[k]), absolute(oracle50(b.x[j]) - b.x[k]),
          gamma * (Point(b, j).roundoff() + Point(b, k).roundoff()) +
              8 * epsilon50() * std::fabs(beta_of(b, j))};
}

Claim lipschitz_claim() {
  return {.id = "F3",
          .title = "DyT's Lipschitz constant",
          .statement = "|f(x) − f(x′)| ≤ |αγ| |x − x′|, and at x = 0 the slope is αγ itself",
          .source = "derived: docs/derivations/claims.md, F1 to F5",
          .assumptions = "any x, x′, α, γ: 1/cosh² is 1 at 0 and smaller elsewhere",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            const auto judge = [&](const Batch& b) {
              Judgement all = judge_condition(true);
              for (std::size_t j = 0; j < b.features; ++j) {
                const TwoPoints c = compute_chord(subject, b, j);
                all = worse_judgement(all, within(c.rise, std::fabs(alpha_of(b) * gamma_of(b, j)) *
                                                                  c.run * (1 + 4 * epsilon50()) +
                                                              c.bound));
              }
              Batch origin = b;
              std::ranges::fill(origin.x, 0);
              std::ranges::fill(origin.grad_y, 1);
              const auto grad_x = step_of<double>(subject, origin).outputs.at("grad_x");
              for (std::size_t at = 0; at < b.x.size(); ++at)
                all = worse_judgement(
                    all, judge_condition(grad_x.data()[at] == gamma_of(b, at) * alpha_of(b)));
              return all;
            };
            return examine(run, Property<Batch>{.cases = dyt_batches(2, 1),
                                                .judge = judge,
                                                .describe = show_squashed_batch,
                                                .worst_meaning = "|f(x) − f(x′)| / |αγ| |x − x′|"});
          }};
}

// ---- F4

Claim independence_claim() {
  return {.id = "F4",
          .title = "DyT does not see the batch nor the other features",
          .statement = "y_ij is a function of x_ij, γ_j, β_j and α alone: bit by bit in double",
          .source = "derived: docs/derivations/claims.md, F1 to F5",
          .assumptions = "none",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            const auto judge = [&](const Batch& b) {
              const auto y = step_of<double>(subject, b).outputs.at("y");
              Judgement all = judge_condition(true);
              for (std::size_t at = 0; at < b.x.size(); ++at) {
                Batch other = b;  // every element but x_ij gets another value
                for (std::size_t k = 0; k < b.x.size(); ++k)
                  if (k != at) other.x[k] = 0.75 - b.x[(k + 1) % b.x.size()];
                const auto now = step_of<double>(subject, other).outputs.at("y");
                all = worse_judgement(all, judge_condition(now.data()[at] == y.data()[at]));
              }
              return all;
            };
            return examine(run, Property<Batch>{.cases = dyt_batches(2, 1),
                                                .judge = judge,
                                                .describe = show_squashed_batch,
                                                .worst_meaning = "0: no size, bits alone"});
          }};
}

// ---- F5

Judgement judge_scale_invariance(const TestedImplementation& subject, const NormOptions& options,
                                 const Batch& b) {
  Vector x = wide(b.x), scaled;
  for (const oracle50& v : x) scaled.push_back(v * b.extra[0]);
  const Vector none(x.size());
  const Vector before = channel_step(subject, options, x, none, Axis::features).y;
  const Vector after = channel_step(subject, options, scaled, none, Axis::features).y;
  const oracle50 bound = Slice(x, {}, Statistic::quadratic_mean, 0).x_hat_roundoff() +
                         Slice(scaled, {}, Statistic::quadratic_mean, 0).x_hat_roundoff();
  Judgement all = judge_condition(true);
  for (std::size_t i = 0; i < x.size(); ++i)
    all = worse_judgement(all, within(absolute(after[i] - before[i]), bound));
  return all;
}

Property<Batch> scale_property(const TestedImplementation& subject, const NormOptions& options) {
  return {.cases = channels(1, 9, false, 1),
          .judge = [&subject, options](
                       const Batch& b) { return judge_scale_invariance(subject, options, b); },
          .describe =
              [](const Batch& b) { return fmt::format("x = {}, c = {}", show(b.x), b.extra[0]); },
          .worst_meaning = "|f(c x) − f(x)| / bound of rounding at 50 digits"};
}

Claim scale_dependence_claim() {
  return {
      .id = "F5",
      .title = "DyT does not see the scale of its input",
      .statement = "f(c x) = f(x) for c > 0, as for RMSNorm",
      .source =
          "[ZCHLL25] section 4, read as: what a norm does, DyT does; derived: "
          "docs/derivations/claims.md, F1 to F5",
      .assumptions = "α = 1/2, ε = 0 in RMSNorm, x ≠ 0",
      .expected = Verdict::refuted,
      .dropped = "a statistic of x: RMSNorm divides by one, DyT's α stays where training left it",
      .check = [](const Run& run) {
        return refute_with_control(
            examine(run, scale_property(run.subject, ref::model::DyTOptions{})),
            [&] {
              return examine(reduce_case_count(run),
                             scale_property(run.subject, ref::model::RMSNormOptions{.eps = 0}));
            },
            "for RMSNorm it holds");
      }};
}

}  // namespace

std::vector<Claim> dyt_claims() {
  return {backward_claim(), bounded_claim(), lipschitz_claim(), independence_claim(),
          scale_dependence_claim()};
}

}  // namespace normproof::verification::claims::ledger
