#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/geometry.hpp"

// Claims B1 to B5: what the backward of PN-V and of BatchNorm does to the gradient's norm, to its
// mean and to its component along x.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

// The two sides of an equation about one channel, and a bound of the rounding error of their
// difference.
struct BothSides {
  oracle50 left, right, bound;
};

using Equation = std::function<BothSides(const Slice&, const Vector& grad_x)>;

struct Identity {
  std::string id, title, statement, source;
  Statistic statistic;
  Equation equation;
};

Property<Batch> identity_property(const TestedImplementation& subject, const Identity& identity) {
  const auto sides = [subject, identity](const Batch& b, std::size_t channel) {
    const auto options = identity.statistic == Statistic::variance
                             ? make_batch_norm_options(b.eps)
                             : make_power_norm_v_options(b.eps);
    const auto step = subject.step<oracle50>(options, b.inputs<oracle50>());
    const Members members = columns(b)[channel];
    Vector grad_x;
    for (const std::size_t at : members) grad_x.push_back(step.outputs.at("grad_x").data()[at]);
    return identity.equation(Slice(b, members, identity.statistic), grad_x);
  };
  return {.cases = batches({.max_rows = 9, .max_features = 2}),
          .judge =
              [sides](const Batch& b) {
                Judgement all = judge_condition(true);
                for (std::size_t j = 0; j < b.features; ++j) {
                  const BothSides s = sides(b, j);
                  all = worse_judgement(all, within(absolute(s.left - s.right), s.bound));
                }
                return all;
              },
          .describe =
              [sides](const Batch& b) {
                std::string text = show(b);
                for (std::size_t j = 0; j < b.features; ++j) {
                  const BothSides s = sides(b, j);
                  text += fmt::format("; channel {}: left {}, right {}", j, show(s.left),
                                      show(s.right));
                }
                return text;
              },
          .worst_meaning = "|left − right| / bound of rounding at 50 digits"};
}

Claim identity_claim(const Identity& identity) {
  return {.id = identity.id,
          .title = identity.title,
          .statement = identity.statement,
          .source = identity.source,
          .assumptions = "ε > 0 and any γ; any x and g, also constant and zero channels",
          .expected = Verdict::holds,
          .check = [identity](const Run& run) {
            return examine(run, identity_property(run.subject, identity));
          }};
}

// Returns both sides of ||grad_x||^2 s^2 = ||g||^2 - <1,g>^2/B - (2 - Gamma) <g,x_hat>^2/B. The
// second term occurs only if the layer centers. B is the number of rows, and Gamma = mean(x_hat^2).
BothSides squared_norm(const Slice& slice, const Vector& grad_x, bool centred) {
  const oracle50 gamma = slice.statistic / (slice.s * slice.s);
  const oracle50 along = slice.sum_g_x_hat(), mean_part = slice.sum_g();
  oracle50 rest = slice.sum_g_squared() - (2 - gamma) * along * along / slice.divisor;
  if (centred) rest -= mean_part * mean_part / slice.divisor;
  return {square(grad_x), rest / (slice.s * slice.s), slice.square_roundoff()};
}

// psi^2 and mu^2 + sigma^2 of a channel, which should be equal. Each comes from the layer that
// computes it.
struct QuadraticMean {
  oracle50 psi2, mean, variance, bound;
};

QuadraticMean compute_quadratic_mean(const TestedImplementation& subject, const Batch& b) {
  const auto in = b.inputs<oracle50>();
  const auto pn = subject.step<oracle50>(make_power_norm_v_options(b.eps), in);
  const auto bn = subject.step<oracle50>(make_batch_norm_options(b.eps), in);
  QuadraticMean q{pn.outputs.at("quadratic_mean").data()[0], bn.outputs.at("mean").data()[0],
                  bn.outputs.at("biased_variance").data()[0], 0};
  const Vector x = wide(b.x);
  const double n = static_cast<double>(b.rows);
  q.bound = (32 + 8 * n) * epsilon50() * square(x) / n;
  return q;
}

Claim quadratic_mean_claim() {
  return {.id = "B5",
          .title = "quadratic mean, mean and variance",
          .statement = "ψ_B² = μ_B² + σ_B²",
          .source = "derived: docs/derivations/claims.md, B5",
          .assumptions = "none",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return examine(
                run, Property<Batch>{
                         .cases = batches({.max_rows = 12, .max_features = 1, .affine = false}),
                         .judge =
                             [&](const Batch& b) {
                               const QuadraticMean q = compute_quadratic_mean(subject, b);
                               return within(absolute(q.psi2 - q.mean * q.mean - q.variance),
                                             q.bound);
                             },
                         .describe =
                             [&](const Batch& b) {
                               const QuadraticMean q = compute_quadratic_mean(subject, b);
                               return fmt::format("{}: ψ² = {}, μ = {}, σ² = {}", show(b),
                                                  show(q.psi2), show(q.mean), show(q.variance));
                             },
                         .worst_meaning = "|ψ² − μ² − σ²| / bound of rounding at 50 digits"});
          }};
}

}  // namespace

std::vector<Claim> norm_identity_claims() {
  const std::string derived = "derived: docs/derivations/claims.md, B";
  return {
      identity_claim({"B1", "norm of the PN-V gradient",
                      "‖grad_x‖² = (1/s²)(‖g‖² − (2 − Γ)⟨g, x̂⟩²/B), s² = ψ² + ε, Γ = ψ²/s² "
                      "(ε = 0: (1/ψ²)(‖g‖² − ⟨g, x̂/√B⟩²))",
                      "[SYG+20] on the gradient through PN-V; " + derived,
                      Statistic::quadratic_mean,
                      [](const Slice& slice, const Vector& grad_x) {
                        return squared_norm(slice, grad_x, false);
                      }}),
      identity_claim({"B2", "norm of the BatchNorm gradient",
                      "‖grad_x‖² = (1/s²)(‖g‖² − ⟨1, g⟩²/B − (2 − Γ)⟨g, x̂⟩²/B), s² = σ² + ε, "
                      "Γ = σ²/s²",
                      "[STIM18] Theorem 4.1, with equality; " + derived, Statistic::variance,
                      [](const Slice& slice, const Vector& grad_x) {
                        return squared_norm(slice, grad_x, true);
                      }}),
      identity_claim({"B3", "part of the PN-V gradient along x",
                      "⟨grad_x, x⟩ = ⟨g, x̂⟩ ε/(ψ² + ε): zero at ε = 0 only", derived,
                      Statistic::quadratic_mean,
                      [](const Slice& slice, const Vector& grad_x) {
                        oracle50 sum_abs_x = 0;
                        for (const oracle50& v : slice.x) sum_abs_x += absolute(v);
                        const oracle50 eps_share = 1 - slice.statistic / (slice.s * slice.s);
                        return BothSides{dot(grad_x, slice.x), slice.sum_g_x_hat() * eps_share,
                                         sum_abs_x * slice.gradient_roundoff()};
                      }}),
      identity_claim({"B4", "mean of the BatchNorm gradient", "Σ_i grad_x_i = 0 for every ε",
                      derived, Statistic::variance,
                      [](const Slice& slice, const Vector& grad_x) {
                        oracle50 sum = 0;
                        for (const oracle50& v : grad_x) sum += v;
                        return BothSides{sum, 0, slice.divisor * slice.gradient_roundoff()};
                      }}),
      quadratic_mean_claim(),
  };
}

}  // namespace normproof::verification::claims::ledger
