#include <fmt/format.h>

#include <cmath>
#include <string>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/geometry.hpp"

// Claims B13 to B15: the premises of the theorems about smoother losses, and counterexamples
// without them.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

// ---- B13: PN-V compared with no normalization.

Property<Batch> not_larger_property(const TestedImplementation& subject, bool gamma_above_psi) {
  const BatchKind kind{.max_rows = 8,
                       .max_features = 1,
                       .zero_gamma = false,
                       .min_eps = 0,
                       .max_eps = 0,
                       .degenerate = false};
  const auto psi_of = [](const Batch& b) {
    double sum = 0;
    for (const double v : b.x) sum += v * v;
    return std::sqrt(sum / static_cast<double>(b.rows));
  };
  const auto accept = [=](const Batch& b) {
    const double psi = psi_of(b), gamma = b.gamma.empty() ? 1 : std::fabs(b.gamma[0]);
    return psi > 0 && (gamma_above_psi ? gamma > psi * 1.001 : gamma <= psi * 0.999);
  };
  const auto squares = [&subject](const Batch& b) {
    const auto step = subject.step<oracle50>(make_power_norm_v_options(0), b.inputs<oracle50>());
    const auto& grad_x = step.outputs.at("grad_x");
    return std::pair(square(Vector(grad_x.data(), grad_x.data() + grad_x.size())),
                     square(wide(b.grad_y)));
  };
  return {.cases = batches(kind, accept),
          .judge =
              [=](const Batch& b) {
                const auto [with, without] = squares(b);
                return within(
                    with,
                    without + Slice(b, columns(b)[0], Statistic::quadratic_mean).square_roundoff());
              },
          .describe =
              [=](const Batch& b) {
                const auto [with, without] = squares(b);
                return fmt::format("{}, ψ = {:.6g}: ‖grad_x‖ = {}, ‖∂L/∂y‖ = {}", show(b),
                                   psi_of(b), show(oracle50(sqrt(with))),
                                   show(oracle50(sqrt(without))));
              },
          .worst_meaning = "‖grad_x‖² / (‖∂L/∂y‖² + rounding)"};
}

Claim gamma_claim() {
  return {.id = "B13",
          .title = "PN-V never enlarges the gradient",
          .statement = "‖grad_x‖ ≤ ‖∂L/∂y‖",
          .source = "[SYG+20] on the gradient through PN-V; derived: docs/derivations/claims.md, B",
          .assumptions = "ε = 0, γ > ψ_B",
          .expected = Verdict::refuted,
          .dropped = "γ ≤ ψ_B",
          .check = [](const Run& run) {
            return refute_with_control(
                examine(run, not_larger_property(run.subject, true)),
                [&] {
                  return examine(reduce_case_count(run), not_larger_property(run.subject, false));
                },
                "with γ ≤ ψ_B it holds");
          }};
}

// ---- B14: a concrete loss L = sum c_i (y_i - t_i)^2 / 2 with t = x and c = 1 + |grad_y|, at y =
// t.

struct ComparedLosses {
  Vector curvature;
  Channel normalised;  // z = BN(t), and the gradient of L(z) with respect to t
  oracle50 sigma2, bound, bound_same;
  oracle50 same;  // ||grad||^2 if the upstream gradient is c itself
};

ComparedLosses compare_losses(const TestedImplementation& subject, const Batch& b) {
  const Vector t = wide(b.x);
  ComparedLosses l;
  for (const double v : b.grad_y) l.curvature.emplace_back(1 + std::fabs(v));
  const Vector z = channel_step(subject, make_batch_norm_options(0), t, Vector(t.size())).y;
  Vector upstream;
  for (std::size_t i = 0; i < t.size(); ++i) upstream.push_back(l.curvature[i] * (z[i] - t[i]));
  l.normalised = channel_step(subject, make_batch_norm_options(0), t, upstream);
  const Slice slice(t, upstream, Statistic::variance, 0);
  l.sigma2 = slice.statistic;
  l.bound = slice.square_roundoff();
  l.same = square(channel_step(subject, make_batch_norm_options(0), t, l.curvature).grad_x);
  l.bound_same = Slice(t, l.curvature, Statistic::variance, 0).square_roundoff();
  return l;
}

Claim genuine_loss_claim() {
  return {
      .id = "B14",
      .title = "BatchNorm makes a given loss smoother, point by point",
      .statement =
          "‖∂L̂/∂y‖² ≤ (γ²/σ²)‖∂L/∂y‖² at y = t, where L = ½ Σ c_i (· − t_i)² is the loss of "
          "the network with BN (at z = BN(y)) and of the one without (at y)",
      .source =
          "[STIM18] Theorem 4.1, [SYG+20], read for one loss; derived: "
          "docs/derivations/claims.md, B14",
      .assumptions = "ε = 0, γ = 1, σ > 0; at y = t the right side is 0",
      .expected = Verdict::refuted,
      .dropped = "∂L̂/∂z = ∂L/∂y, the same upstream gradient: the theorems are about the Jacobian",
      .check = [](const Run& run) {
        const auto& subject = run.subject;
        const auto property = [&](bool same_upstream) {
          return Property<Batch>{.cases = channels(3, 7, true),
                                 .judge =
                                     [&subject, same_upstream](const Batch& b) {
                                       const ComparedLosses l = compare_losses(subject, b);
                                       if (same_upstream)
                                         return within(
                                             l.same, square(l.curvature) / l.sigma2 + l.bound_same);
                                       return within(square(l.normalised.grad_x), l.bound);
                                     },
                                 .describe =
                                     [&subject](const Batch& b) {
                                       const ComparedLosses l = compare_losses(subject, b);
                                       return fmt::format(
                                           "t = {}, c = {}: without BN the gradient at y = t is 0, "
                                           "with BN ‖∂L̂/∂y‖ = {}",
                                           show(b.x), show(narrow(l.curvature)),
                                           show(oracle50(sqrt(square(l.normalised.grad_x)))));
                                     },
                                 .worst_meaning = "‖∂L̂/∂y‖² / rounding, the right side being 0"};
        };
        return refute_with_control(
            examine(run, property(false)),
            [&] { return examine(reduce_case_count(run), property(true)); },
            "with the same upstream gradient it holds");
      }};
}

// ---- B15: the last term of the bound in [STIM18], with 1/sqrt(m).

struct TranscribedBound {
  oracle50 left, right, bound;
};

TranscribedBound transcribe_bound(const TestedImplementation& subject, const Batch& b,
                                  bool square_root) {
  const Vector x = wide(b.x), g = wide(b.grad_y);
  const Channel channel = channel_step(subject, make_batch_norm_options(0), x, g);
  const Slice slice(x, g, Statistic::variance, 0);
  const oracle50 m = slice.divisor, along = dot(g, channel.y), mean_part = slice.sum_g();
  const oracle50 coefficient = square_root ? oracle50(1 / sqrt(m)) : oracle50(1 / m);
  return {square(channel.grad_x) * slice.statistic,
          square(g) - mean_part * mean_part / m - coefficient * along * along,
          m * slice.square_roundoff() * slice.statistic};
}

Claim transcription_claim() {
  return {.id = "B15",
          .title = "Santurkar's bound with 1/√m in the last term",
          .statement = "(σ²/γ²)‖grad_x‖² ≤ ‖g‖² − ⟨1, g⟩²/m − ⟨g, ŷ⟩²/√m",
          .source =
              "[STIM18] Theorem 4.1, as often transcribed; derived: docs/derivations/claims.md, B",
          .assumptions = "ε = 0, σ > 0, m ≥ 2",
          .expected = Verdict::refuted,
          .dropped = "the coefficient 1/m: with 1/√m the right side can be negative",
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            const auto property = [&](bool square_root) {
              return Property<Batch>{
                  .cases = channels(2, 8, true),
                  .judge =
                      [&subject, square_root](const Batch& b) {
                        const TranscribedBound s = transcribe_bound(subject, b, square_root);
                        return within(s.left, s.right + s.bound);
                      },
                  .describe =
                      [&subject, square_root](const Batch& b) {
                        const TranscribedBound s = transcribe_bound(subject, b, square_root);
                        return fmt::format("x = {}, g = {}: left {}, right {}", show(b.x),
                                           show(b.grad_y), show(s.left), show(s.right));
                      },
                  .worst_meaning = "left / (right + rounding)"};
            };
            Evidence evidence = refute_with_control(
                examine(run, property(true)),
                [&] { return examine(reduce_case_count(run), property(false)); },
                "with 1/m it holds");
            Batch b;
            b.rows = 4, b.features = 1;
            b.x = b.grad_y = {1, 1, -1, -1};
            const TranscribedBound s = transcribe_bound(subject, b, true);
            evidence.detail += fmt::format("; g = ŷ = (1, 1, -1, -1), m = 4: left {}, right {}",
                                           show(s.left), show(s.right));
            return evidence;
          }};
}

}  // namespace

std::vector<Claim> premise_claims() {
  return {gamma_claim(), genuine_loss_claim(), transcription_claim()};
}

}  // namespace normproof::verification::claims::ledger
