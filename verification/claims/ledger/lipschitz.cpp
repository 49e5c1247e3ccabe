#include <fmt/format.h>
#include <rapidcheck/gen/Transform.h>

#include <algorithm>
#include <string>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/geometry.hpp"

// Claims B6, B7, B8 and B16: the Jacobians of the normalizations, and a comparison of their
// operator norms.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

// ---- B6: s times the Jacobian is an orthogonal projector; its rank is its trace.

struct Projector {
  NormOptions options;
  Statistic statistic;
  Axis axis;
  std::string name;
  std::size_t lost;  // n minus the rank
};

std::vector<Projector> compute_projectors() {
  const auto row = [](auto options) {
    options.eps = 0;
    return NormOptions(options);
  };
  return {
      {make_power_norm_v_options(0), Statistic::quadratic_mean, Axis::batch, "PN-V", 1},
      {make_batch_norm_options(0), Statistic::variance, Axis::batch, "BN", 2},
      {row(ref::model::RMSNormOptions{}), Statistic::quadratic_mean, Axis::features, "RMSNorm", 1},
      {row(ref::model::LayerNormOptions{}), Statistic::variance, Axis::features, "LN", 2}};
}

struct ProjectorCheck {
  Judgement judgement = judge_condition(true);
  std::string text;
};

ProjectorCheck check_projector(const TestedImplementation& subject, const Projector& kind,
                               const Batch& b) {
  const std::size_t n = b.rows;
  const Vector x = wide(b.x);
  std::vector<Vector> p;  // p[k] = s * (Jacobian transposed) e_k
  oracle50 entry_bound = 0, s;
  for (std::size_t k = 0; k < n; ++k) {
    const Slice slice(x, unit(n, k), kind.statistic, 0);
    s = slice.s;
    p.push_back(channel_step(subject, kind.options, x, unit(n, k), kind.axis).grad_x);
    for (oracle50& entry : p.back()) entry *= s;
    entry_bound = std::max(entry_bound, oracle50(s * slice.gradient_roundoff()));
  }
  const oracle50 size = static_cast<double>(n);
  oracle50 asymmetry = 0, defect = 0, kept = 0, trace = 0;
  const Slice slice(x, {}, kind.statistic, 0);
  for (std::size_t k = 0; k < n; ++k) {
    trace += p[k][k];
    kept = std::max(kept, absolute(dot(p[k], slice.x_hat)));
    if (kind.lost == 2) kept = std::max(kept, absolute(dot(p[k], Vector(n, oracle50(1)))));
    for (std::size_t i = 0; i < n; ++i) {
      oracle50 squared = 0;
      for (std::size_t j = 0; j < n; ++j) squared += p[k][j] * p[j][i];
      asymmetry = std::max(asymmetry, absolute(p[k][i] - p[i][k]));
      defect = std::max(defect, absolute(squared - p[k][i]));
    }
  }
  const oracle50 rank = size - static_cast<double>(kind.lost);
  ProjectorCheck result;
  result.judgement =
      worse_judgement(worse_judgement(within(asymmetry, 2 * entry_bound),
                                      within(defect, (2 * size + 1) * entry_bound * (1 + size))),
                      worse_judgement(within(absolute(trace - rank), size * entry_bound),
                                      within(kept, size * entry_bound * (1 + size))));
  result.text = fmt::format("{}: rank {} expected, trace {}, |P − Pᵀ| = {}, |P² − P| = {}",
                            kind.name, show(rank), show(trace), show(asymmetry), show(defect));
  return result;
}

Claim projector_claim() {
  return {.id = "B6",
          .title = "Jacobians are projectors",
          .statement =
              "ε = 0: s·Jacobian is an orthogonal projector, of rank B − 1 for PN-V (it "
              "removes x̂) and B − 2 for BN (1 and x̂); RMSNorm D − 1, LN D − 2",
          .source = "[SYG+20], [STIM18]; derived: docs/derivations/claims.md, B6",
          .assumptions = "ε = 0, σ > 0; the rank of a projector is its trace",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return examine(
                run,
                Property<Batch>{
                    .cases = channels(2, 6, true),
                    .judge =
                        [&](const Batch& b) {
                          Judgement all = judge_condition(true);
                          for (const Projector& kind : compute_projectors())
                            all = worse_judgement(all, check_projector(subject, kind, b).judgement);
                          return all;
                        },
                    .describe =
                        [&](const Batch& b) {
                          std::string text = "x = " + show(b.x);
                          for (const Projector& kind : compute_projectors())
                            text += "; " + check_projector(subject, kind, b).text;
                          return text;
                        },
                    .worst_meaning = "distance from a projector / bound of rounding at 50 digits"});
          }};
}

// ---- Operator norms. A vector g0 orthogonal to x and to the vector of ones attains the operator
// norm exactly.

struct Gain {
  oracle50 squared, bound;  // ||grad_x||^2 with a bound of its rounding error
};

Gain compute_gain(const TestedImplementation& subject, const NormOptions& options,
                  Statistic statistic, const Vector& x, const Vector& g) {
  return {square(channel_step(subject, options, x, g).grad_x),
          Slice(x, g, statistic, 0).square_roundoff()};
}

Gain compute_power_norm_v_gain(const TestedImplementation& subject, const Vector& x,
                               const Vector& g) {
  return compute_gain(subject, make_power_norm_v_options(0), Statistic::quadratic_mean, x, g);
}
Gain compute_batch_norm_gain(const TestedImplementation& subject, const Vector& x,
                             const Vector& g) {
  return compute_gain(subject, make_batch_norm_options(0), Statistic::variance, x, g);
}

// Whether the projection `rest` is so close to zero, relative to the vector `whole`, that it
// decides nothing.
bool is_degenerate(const Vector& rest, const Vector& whole) {
  return !(square(rest) > square(whole) * oracle50(0x1p-40));
}

struct Norms {
  Judgement judgement;
  oracle50 power_norm_v, batch_norm;  // squares of the operator norms
};

Norms compare_norms(const TestedImplementation& subject, const Batch& b) {
  const Vector x = wide(b.x), g = wide(b.grad_y);
  const Vector g0 = project_out_ones_and_vector(x, g);
  if (is_degenerate(g0, g)) return {discarded(), 0, 0};
  const oracle50 length = square(g0);
  const Gain pn = compute_power_norm_v_gain(subject, x, g0),
             bn = compute_batch_norm_gain(subject, x, g0);
  const Gain pn_any = compute_power_norm_v_gain(subject, x, g),
             bn_any = compute_batch_norm_gain(subject, x, g);
  const oracle50 psi2 = Slice(x, g, Statistic::quadratic_mean, 0).statistic;
  const oracle50 sigma2 = Slice(x, g, Statistic::variance, 0).statistic;
  // g0 has rounding errors too; the error bounds for g cover them.
  const oracle50 slack_pn = pn.bound + pn_any.bound, slack_bn = bn.bound + bn_any.bound;
  const bool are_the_norms = absolute(pn.squared - length / psi2) <= slack_pn &&
                             absolute(bn.squared - length / sigma2) <= slack_bn &&
                             pn_any.squared <= square(g) / psi2 + slack_pn &&
                             bn_any.squared <= square(g) / sigma2 + slack_bn;
  return {worse_judgement(judge_condition(are_the_norms),
                          within(pn.squared, bn.squared + slack_pn + slack_bn)),
          pn.squared / length, bn.squared / length};
}

std::string show_norms(const Batch& b, const oracle50& pn2, const oracle50& bn2,
                       const std::string& first) {
  return fmt::format("x = {}: ‖J {}‖ = {}, ‖J BN‖ = {}", show(b.x), first,
                     show(oracle50(sqrt(pn2))), show(oracle50(sqrt(bn2))));
}

Property<Batch> norms_property(const TestedImplementation& subject) {
  return {.cases = channels(3, 9, true),
          .judge = [&](const Batch& b) { return compare_norms(subject, b).judgement; },
          .describe =
              [&](const Batch& b) {
                const Norms n = compare_norms(subject, b);
                return "g = " + show(b.grad_y) + ", " +
                       show_norms(b, n.power_norm_v, n.batch_norm, "PN-V");
              },
          .worst_meaning = "‖J_PN-V‖²/‖J_BN‖² = σ²/ψ²: 1 is attained where μ = 0"};
}

Claim operator_norm_claim() {
  return {.id = "B7",
          .title = "PN-V has the smaller Lipschitz constant",
          .statement =
              "‖J_PN-V‖ = γ/ψ ≤ γ/σ = ‖J_BN‖ for B ≥ 3, equal where μ = 0: each norm is "
              "attained at g ⊥ 1, x and not exceeded elsewhere",
          .source = "[SYG+20] abstract; derived: docs/derivations/claims.md, B7",
          .assumptions = "B ≥ 3, ε = 0, σ > 0; the worst upstream gradient of each layer",
          .expected = Verdict::holds,
          .check = [](const Run& run) { return examine(run, norms_property(run.subject)); }};
}

// ---- B8: with two rows, BatchNorm's Jacobian has rank 0.

Norms compare_two_rows(const TestedImplementation& subject, const Batch& b) {
  const Vector x = wide(b.x);
  const Vector g{x[1], -x[0]};  // orthogonal to x: attains PN-V's norm
  const Gain pn = compute_power_norm_v_gain(subject, x, g);
  oracle50 frobenius = 0, slack = pn.bound / square(g);
  for (std::size_t k = 0; k < 2; ++k) {
    const Gain bn = compute_batch_norm_gain(subject, x, unit(2, k));
    frobenius += bn.squared;
    slack += bn.bound;
  }
  const oracle50 pn2 = pn.squared / square(g);
  return {within(pn2, frobenius + slack), pn2, frobenius};
}

Claim two_rows_claim() {
  return {.id = "B8",
          .title = "PN-V has the smaller Lipschitz constant, at B = 2",
          .statement = "‖J_PN-V‖ ≤ ‖J_BN‖ for two rows",
          .source = "[SYG+20] abstract, read for every B; derived: docs/derivations/claims.md, B7",
          .assumptions = "B = 2, ε = 0, x_1 ≠ x_2",
          .expected = Verdict::refuted,
          .dropped = "B ≥ 3: at B = 2 BN's output is ±1 whatever x is, so that its Jacobian is 0",
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return refute_with_control(
                examine(run, Property<Batch>{.cases = channels(2, 2, true),
                                             .judge =
                                                 [&](const Batch& b) {
                                                   return compare_two_rows(subject, b).judgement;
                                                 },
                                             .describe =
                                                 [&](const Batch& b) {
                                                   const Norms n = compare_two_rows(subject, b);
                                                   return show_norms(b, n.power_norm_v,
                                                                     n.batch_norm, "PN-V");
                                                 },
                                             .worst_meaning = "‖J_PN-V‖² / (‖J_BN‖² + rounding)"}),
                [&] { return examine(reduce_case_count(run), norms_property(subject)); },
                "for B ≥ 3 it holds");
          }};
}

// ---- B16: PowerNorm divides by the psi of earlier steps.

Norms compare_norms_with_running_statistics(const TestedImplementation& subject, const Batch& b) {
  const Vector x = wide(b.x), g = wide(b.grad_y);
  const Vector g0 = project_out_ones_and_vector(x, g);
  if (is_degenerate(g0, g)) return {discarded(), 0, 0};
  const ref::model::PowerNormOptions options{.eps = 0};
  auto state = ref::norm::initial_state<oracle50>(options, 1);
  state.at("running_psi2").data()[0] = b.extra[0];
  NormInputs<oracle50> in;
  in.x = in.grad_y = ref::tensor::empty_tensor<oracle50>({b.rows, 1});
  std::copy(x.begin(), x.end(), in.x.data());
  std::copy(g0.begin(), g0.end(), in.grad_y.data());
  const auto step = subject.step<oracle50>(options, in, state);
  const auto& grad_x = step.outputs.at("grad_x");
  const oracle50 length = square(g0);
  const oracle50 pn2 = square(Vector(grad_x.data(), grad_x.data() + grad_x.size())) / length;
  const Gain bn = compute_batch_norm_gain(subject, x, g0);
  const oracle50 slack = bn.bound / length + 64 * epsilon50() * pn2;
  return {within(pn2, bn.squared / length + slack), pn2, bn.squared / length};
}

Property<Batch> running_statistics_property(const TestedImplementation& subject,
                                            rc::Gen<Batch> cases) {
  return {.cases = std::move(cases),
          .judge =
              [&](const Batch& b) {
                return compare_norms_with_running_statistics(subject, b).judgement;
              },
          .describe =
              [&](const Batch& b) {
                const Norms n = compare_norms_with_running_statistics(subject, b);
                return fmt::format("ψ²_(t−1) = {}, σ_B = {}, {}", b.extra[0],
                                   show(oracle50(Slice(wide(b.x), {}, Statistic::variance, 0).s)),
                                   show_norms(b, n.power_norm_v, n.batch_norm, "PN"));
              },
          .worst_meaning = "‖J_PN‖²/‖J_BN‖² = σ_B²/ψ²_(t−1)"};
}

Claim running_statistics_claim() {
  return {.id = "B16",
          .title = "PowerNorm itself has the smaller Lipschitz constant",
          .statement = "in-step ‖J_PN‖ = γ/ψ_(t−1) ≤ γ/σ_B = ‖J_BN‖",
          .source = "[SYG+20] abstract, read for PN; derived: docs/derivations/claims.md, B7",
          .assumptions = "B ≥ 3, ε = 0, ν = 0, any ψ_(t−1) > 0",
          .expected = Verdict::refuted,
          .dropped = "σ_B ≤ ψ_(t−1): the theorem is about PN-V, whose ψ is the batch's own",
          .check = [](const Run& run) {
            const auto quiet = rc::gen::map(channels(3, 8, true, 1), [](Batch b) {
              const auto rows = static_cast<double>(b.rows);
              double mean = 0, variance = 0;
              for (const double v : b.x) mean += v / rows;
              for (const double v : b.x) variance += (v - mean) * (v - mean) / rows;
              const double above = b.extra[0] * b.extra[0] * b.extra[0];  // from 2^-18 on
              b.extra[0] = variance * (1 + above);
              return b;
            });
            return refute_with_control(
                examine(run, running_statistics_property(run.subject, channels(3, 8, true, 1))),
                [&] {
                  return examine(reduce_case_count(run),
                                 running_statistics_property(run.subject, quiet));
                },
                "with σ_B ≤ ψ_(t−1) it holds");
          }};
}

}  // namespace

std::vector<Claim> lipschitz_claims() {
  return {projector_claim(), operator_norm_claim(), two_rows_claim(), running_statistics_claim()};
}

}  // namespace normproof::verification::claims::ledger
