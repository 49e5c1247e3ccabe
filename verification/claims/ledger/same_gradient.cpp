#include <fmt/format.h>

#include <cmath>
#include <string>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/geometry.hpp"

// Claims B9 to B12: PN-V and BatchNorm with the same upstream gradient.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

// The results of PN-V and BatchNorm for the same g and the same x.
struct Pair {
  oracle50 power_norm_v, batch_norm;  // ||grad_x||^2
  oracle50 bound;                     // of the rounding error of their difference
  Slice pn, bn;
};

Pair run_both_layers(const TestedImplementation& subject, const Vector& x, const Vector& g) {
  Pair p{square(channel_step(subject, make_power_norm_v_options(0), x, g).grad_x),
         square(channel_step(subject, make_batch_norm_options(0), x, g).grad_x), 0,
         Slice(x, g, Statistic::quadratic_mean, 0), Slice(x, g, Statistic::variance, 0)};
  p.bound = p.pn.square_roundoff() + p.bn.square_roundoff();
  return p;
}

std::string show_pair(const Vector& x, const Vector& g, const Pair& p) {
  return fmt::format("x = {}, g = {}: ‖PN-V‖² = {}, ‖BN‖² = {}", show(narrow(x)), show(narrow(g)),
                     show(p.power_norm_v), show(p.batch_norm));
}

/// Returns a property that compares the gradients of PN-V and BatchNorm for the same upstream
/// gradient g. If `worst`, g is replaced by its component that is orthogonal to x and to the vector
/// of ones. Neither layer removes any part of this component. After rounding, the component is not
/// exactly orthogonal; the deviation counts as a rounding error of g.
Property<Batch> smaller_gradient_property(const TestedImplementation& subject, bool worst) {
  const auto gradient = [worst](const Batch& b) {
    return worst ? project_out_ones_and_vector(wide(b.x), wide(b.grad_y)) : wide(b.grad_y);
  };
  return {.cases = channels(3, 9, true),
          .judge =
              [&subject, gradient](const Batch& b) {
                const Pair p = run_both_layers(subject, wide(b.x), gradient(b));
                const Pair whole = run_both_layers(subject, wide(b.x), wide(b.grad_y));
                return within(p.power_norm_v, p.batch_norm + p.bound + whole.bound);
              },
          .describe =
              [&subject, gradient](const Batch& b) {
                const Vector x = wide(b.x), g = gradient(b);
                return show_pair(x, g, run_both_layers(subject, x, g));
              },
          .worst_meaning = "‖grad PN-V‖² / (‖grad BN‖² + rounding)"};
}

Claim pointwise_claim() {
  return {.id = "B9",
          .title = "PN-V's gradient is never larger than BN's",
          .statement = "‖grad_x PN-V‖ ≤ ‖grad_x BN‖ for the same upstream gradient g",
          .source = "[SYG+20] abstract, read pointwise; derived: docs/derivations/claims.md, B10",
          .assumptions = "B ≥ 3, ε = 0, σ > 0, any g",
          .expected = Verdict::refuted,
          .dropped = "the worst g of each layer (B7), or the criterion of B10",
          .check = [](const Run& run) {
            return refute_with_control(
                examine(run, smaller_gradient_property(run.subject, false)),
                [&] {
                  return examine(reduce_case_count(run),
                                 smaller_gradient_property(run.subject, true));
                },
                "for g ⊥ 1, x it holds");
          }};
}

// ---- B10

struct Criterion {
  oracle50 left, right, bound;
};

Criterion compare_criterion(const Pair& p) {
  const oracle50 n = p.bn.divisor;
  const oracle50 mu = p.bn.mean, sigma = p.bn.s, sigma2 = p.bn.statistic, psi2 = p.pn.statistic;
  const oracle50 a = p.bn.sum_g(), b = p.bn.sum_g_x_hat();  // multiplied by sqrt(n)
  const oracle50 r = p.bn.sum_g_squared() - (a * a + b * b) / n;
  const oracle50 mixed = sigma * a - mu * b;
  return {(p.power_norm_v - p.batch_norm) * psi2 * psi2 * sigma2,
          sigma2 * mixed * mixed / n - r * mu * mu * psi2, p.bound * psi2 * psi2 * sigma2};
}

Claim criterion_claim() {
  return {.id = "B10",
          .title = "when PN-V's gradient is the smaller one",
          .statement =
              "ψ⁴σ²(‖PN-V‖² − ‖BN‖²) = γ²(σ²(σa − μb)² − r μ²ψ²), so that PN-V ≤ BN ⟺ "
              "σ²(σa − μb)² ≤ r μ²ψ²; a, b = parts of g along 1/√B, x̂_BN/√B, r = ‖g‖² − a² − b²",
          .source = "derived: docs/derivations/claims.md, B10",
          .assumptions = "ε = 0, σ > 0",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return examine(run,
                           Property<Batch>{
                               .cases = channels(2, 9, true),
                               .judge =
                                   [&](const Batch& b) {
                                     const Criterion c = compare_criterion(
                                         run_both_layers(subject, wide(b.x), wide(b.grad_y)));
                                     return within(absolute(c.left - c.right), c.bound);
                                   },
                               .describe =
                                   [&](const Batch& b) {
                                     const Vector x = wide(b.x), g = wide(b.grad_y);
                                     const Pair p = run_both_layers(subject, x, g);
                                     const Criterion c = compare_criterion(p);
                                     return fmt::format("{}; left {}, right {}", show_pair(x, g, p),
                                                        show(c.left), show(c.right));
                                   },
                               .worst_meaning = "|left − right| / bound of rounding at 50 digits"});
          }};
}

// ---- B11: mu = 0 and a constant g. x is the case's x followed by its negative; every element of g
// is the first grad_y. The comparison uses a g with the mean 0: the case's grad_y followed by its
// negative.

Vector append_negatives(const std::vector<double>& values) {
  Vector result = wide(values);
  for (const double v : values) result.emplace_back(-v);
  return result;
}

Vector constant_gradient(const Batch& b) {
  return Vector(2 * b.rows, oracle50(b.grad_y[0]));
}

Claim constant_gradient_claim() {
  return {
      .id = "B11",
      .title = "an explicit batch on which PN-V's gradient is larger",
      .statement = "‖grad_x PN-V‖ ≤ ‖grad_x BN‖ where μ_B = 0 and g is constant over the batch",
      .source = "derived: docs/derivations/claims.md, B10",
      .assumptions = "ε = 0, x mirrored, so that μ_B = 0; g = t (1, ..., 1), t ≠ 0",
      .expected = Verdict::refuted,
      .dropped = "mean(g) = 0: at μ_B = 0 both divide by the same ψ = σ, and PN-V keeps mean(g)",
      .check = [](const Run& run) {
        const auto& subject = run.subject;
        const auto pair_of = [&](const Batch& b) {
          return run_both_layers(subject, append_negatives(b.x), constant_gradient(b));
        };
        const Property<Batch> constant{.cases = channels(2, 5, true),
                                       .judge =
                                           [&](const Batch& b) {
                                             if (b.grad_y[0] == 0) return discarded();
                                             const Pair p = pair_of(b);
                                             return within(p.power_norm_v, p.batch_norm + p.bound);
                                           },
                                       .describe =
                                           [&](const Batch& b) {
                                             return show_pair(append_negatives(b.x),
                                                              constant_gradient(b), pair_of(b));
                                           },
                                       .worst_meaning = "‖grad PN-V‖² / (‖grad BN‖² + rounding)"};
        const Property<Batch> mean_zero{
            .cases = channels(2, 5, true),
            .judge =
                [&](const Batch& b) {
                  const Pair p =
                      run_both_layers(subject, append_negatives(b.x), append_negatives(b.grad_y));
                  return within(absolute(p.power_norm_v - p.batch_norm), p.bound);
                },
            .describe =
                [&](const Batch& b) {
                  const Vector x = append_negatives(b.x), g = append_negatives(b.grad_y);
                  return show_pair(x, g, run_both_layers(subject, x, g));
                },
            .worst_meaning = "|‖grad PN-V‖² − ‖grad BN‖²| / rounding"};
        const Vector x{-1, 0, 1, 0}, g(4, oracle50(1));
        return add_remark(
            refute_with_control(
                examine(run, constant), [&] { return examine(reduce_case_count(run), mean_zero); },
                "for a g of mean 0 both are equally long"),
            "the textbook instance: " + show_pair(x, g, run_both_layers(subject, x, g)));
      }};
}

// ---- B12: over isotropic g, the mean of ||J^T g||^2 is the trace of J J^T times E g_i^2.

struct JacobianTraces {
  oracle50 power_norm_v = 0, batch_norm = 0, bound_pn = 0, bound_bn = 0;
};

JacobianTraces jacobian_traces(const TestedImplementation& subject, const Batch& b) {
  JacobianTraces t;
  const Vector x = wide(b.x);
  for (std::size_t k = 0; k < b.rows; ++k) {
    const Pair p = run_both_layers(subject, x, unit(b.rows, k));
    t.power_norm_v += p.power_norm_v;
    t.batch_norm += p.batch_norm;
    t.bound_pn += p.pn.square_roundoff();
    t.bound_bn += p.bn.square_roundoff();
  }
  return t;
}

Judgement judge_traces(const JacobianTraces& t, const Batch& b) {
  const Vector x = wide(b.x);
  const Slice bn(x, {}, Statistic::variance, 0), pn(x, {}, Statistic::quadratic_mean, 0);
  const oracle50 n = bn.divisor;
  const Judgement values =
      worse_judgement(within(absolute(t.power_norm_v - (n - 1) / pn.statistic), t.bound_pn),
                      within(absolute(t.batch_norm - (n - 2) / bn.statistic), t.bound_bn));
  // The comparison with the threshold counts only if rounding cannot change it.
  const bool smaller = t.power_norm_v < t.batch_norm;
  const bool predicted = bn.mean * bn.mean * (n - 2) > bn.statistic;
  const bool in_doubt = absolute(t.power_norm_v - t.batch_norm) <= t.bound_pn + t.bound_bn;
  return worse_judgement(values, judge_condition(in_doubt || smaller == predicted));
}

// Returns a text that says how often PN-V's gradient is larger than BatchNorm's over random g, in
// double. It is only an illustration.
std::string describe_frequencies(const Run& run) {
  constexpr std::size_t kRows = 16, kDraws = 400;
  Draw draw(make_case_random(run, run.cases + 1));
  std::vector<double> base(kRows);
  double mean = 0, variance = 0;
  for (double& v : base) mean += (v = draw.normal()) / kRows;
  for (const double v : base) variance += (v - mean) * (v - mean) / kRows;
  std::string text = "B = 16, normal g: share of draws with ‖PN-V‖ > ‖BN‖ at μ/σ = ";
  const double threshold = 1 / std::sqrt(kRows - 2.0);
  for (const double ratio : {0.0, 0.5 * threshold, threshold, 2 * threshold, 1.0}) {
    Batch b;
    b.rows = kRows;
    b.features = kDraws;
    for (std::size_t i = 0; i < kRows * kDraws; ++i) {
      b.x.push_back((base[i / kDraws] - mean) / std::sqrt(variance) + ratio);
      b.grad_y.push_back(draw.normal());
    }
    const auto in = b.inputs<double>();
    const auto pn = run.subject.step<double>(make_power_norm_v_options(0), in).outputs.at("grad_x");
    const auto bn = run.subject.step<double>(make_batch_norm_options(0), in).outputs.at("grad_x");
    std::size_t larger = 0;
    for (std::size_t j = 0; j < kDraws; ++j) {
      double pn2 = 0, bn2 = 0;
      for (std::size_t i = 0; i < kRows; ++i) {
        pn2 += pn.data()[i * kDraws + j] * pn.data()[i * kDraws + j];
        bn2 += bn.data()[i * kDraws + j] * bn.data()[i * kDraws + j];
      }
      larger += pn2 > bn2 ? 1 : 0;
    }
    text += fmt::format("{}{:.2f}: {:.2f}", ratio == 0 ? "" : ", ", ratio,
                        static_cast<double>(larger) / kDraws);
  }
  return text + fmt::format(" (threshold {:.2f})", threshold);
}

Claim average_claim() {
  return {
      .id = "B12",
      .title = "PN-V against BN on average over g",
      .statement =
          "isotropic g: E‖PN-V‖² = (B − 1)/ψ², E‖BN‖² = (B − 2)/σ² (γ = 1, E g_i² = 1), so "
          "that PN-V is smaller on average ⟺ (μ_B/σ_B)² > 1/(B − 2)",
      .source = "derived: docs/derivations/claims.md, B12",
      .assumptions = "B ≥ 3, ε = 0, σ > 0; the mean over g is exact: the trace of J Jᵀ",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const auto& subject = run.subject;
        Evidence evidence = examine(
            run,
            Property<Batch>{
                .cases = channels(3, 6, true),
                .judge =
                    [&](const Batch& b) { return judge_traces(jacobian_traces(subject, b), b); },
                .describe =
                    [&](const Batch& b) {
                      const JacobianTraces t = jacobian_traces(subject, b);
                      return fmt::format("x = {}: E‖PN-V‖² = {}, E‖BN‖² = {}", show(b.x),
                                         show(t.power_norm_v), show(t.batch_norm));
                    },
                .worst_meaning = "|trace − closed form| / bound of rounding at 50 digits"});
        evidence.detail = describe_frequencies(run);
        return evidence;
      }};
}

}  // namespace

std::vector<Claim> same_gradient_claims() {
  return {pointwise_claim(), criterion_claim(), constant_gradient_claim(), average_claim()};
}

}  // namespace normproof::verification::claims::ledger
