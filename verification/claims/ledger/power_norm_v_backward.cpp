#include <fmt/format.h>
#include <rapidcheck/gen/Transform.h>

#include <cmath>
#include <utility>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/backward_check.hpp"
#include "verification/claims/ledger/backward.hpp"

// Claim A5: the form of PN-V's gradient with gamma in the denominator. Claim A12: the gradient by
// finite differences at 100 digits.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::model::PowerNormVOptions;

struct ComparedGradients {
  Judgement judgement = judge_condition(true);
  oracle50 grad_x, other;  // at the element with the largest error relative to its bound
  void keep_worst_judgement(const Judgement& one, const oracle50& got, const oracle50& expected) {
    if (!(one.attained <= judgement.attained)) grad_x = got, other = expected;
    judgement = worse_judgement(judgement, one);
  }
};

ComparedGradients compare_printed_form(const TestedImplementation& subject, const Batch& b) {
  const auto step = subject.step<oracle50>(PowerNormVOptions{.eps = b.eps}, b.inputs<oracle50>());
  const auto& grad_x = step.outputs.at("grad_x");
  ComparedGradients result;
  const auto slices = columns(b);
  for (std::size_t j = 0; j < slices.size(); ++j) {
    const Slice slice(b, slices[j], Statistic::quadratic_mean);
    const oracle50 gamma = b.gamma.empty() ? 1.0 : b.gamma[j];
    for (std::size_t i = 0; i < slices[j].size(); ++i) {
      // The slice's grad_x has gamma in the numerator: (gamma/s)(dY - x_hat mean(dY x_hat)).
      const oracle50 printed = slice.grad_x[i] / (gamma * gamma);
      const oracle50 got = grad_x.data()[slices[j][i]];
      const oracle50 bound = slice.gradient_roundoff() * (1 + 1 / (gamma * gamma));
      result.keep_worst_judgement(within(absolute(got - printed), bound), got, printed);
    }
  }
  return result;
}

Property<Batch> printed_form_property(const TestedImplementation& subject, rc::Gen<Batch> cases) {
  return {.cases = std::move(cases),
          .judge = [=](const Batch& b) { return compare_printed_form(subject, b).judgement; },
          .describe =
              [=](const Batch& b) {
                const ComparedGradients c = compare_printed_form(subject, b);
                return fmt::format("{}: grad_x = {}, printed form {}", show(b), show(c.grad_x),
                                   show(c.other));
              },
          .worst_meaning = "|grad_x − printed form| / bound of rounding at 50 digits"};
}

// The step size h of the finite difference and its error bound. The bound is the truncation error,
// h^2/6 times a bound of the third derivative, plus rounding (docs/derivations/claims.md, A12).
oracle50 choose_difference_step(const Slice& slice) {
  return oracle50(std::ldexp(1.0, -110 + std::ilogb(static_cast<double>(slice.s))));
}
oracle50 difference_bound(const Slice& slice, const oracle50& h) {
  oracle50 sum_abs_g = 0, magnitude = 0;
  for (std::size_t i = 0; i < slice.count; ++i) {
    sum_abs_g += absolute(slice.g[i]);
    magnitude += absolute(slice.g[i]) * (1 + absolute(slice.x_hat[i]));
  }
  const double n = static_cast<double>(slice.count);
  const oracle50 truncation = 12 * h * h * sum_abs_g / (n * slice.s * slice.s * slice.s);
  const oracle50 unit = oracle50(std::ldexp(1.0, -330));
  return truncation + (32 + 8 * n) * unit * magnitude / h;
}

ComparedGradients compare_difference(const TestedImplementation& subject, const Batch& b) {
  const PowerNormVOptions options{.eps = b.eps};
  const NormInputs<oracle100> in = b.inputs<oracle100>();
  const auto step = subject.step<oracle100>(options, in);
  const auto& grad_x = step.outputs.at("grad_x");
  ComparedGradients result;
  for (const Members& members : columns(b)) {
    const Slice slice(b, members, Statistic::quadratic_mean);
    const oracle50 h = choose_difference_step(slice);
    for (const std::size_t at : members) {
      const auto y_at = [&](int side) {
        NormInputs<oracle100> moved = in;
        moved.grad_y = decltype(moved.grad_y)();
        moved.x.data()[at] += side * oracle100(h);
        return subject.step<oracle100>(options, moved).outputs.at("y");
      };
      const auto above = y_at(1);
      const auto below = y_at(-1);
      // The difference is computed element by element. Other channels do not change, so they add no
      // rounding error.
      oracle100 difference = 0;
      for (std::size_t i = 0; i < b.grad_y.size(); ++i)
        difference += oracle100(b.grad_y[i]) * (above.data()[i] - below.data()[i]);
      difference /= 2 * oracle100(h);
      const oracle100 got = grad_x.data()[at];
      const oracle100 error = got - difference;
      result.keep_worst_judgement(within(absolute(oracle50(error)), difference_bound(slice, h)),
                                  oracle50(got), oracle50(difference));
    }
  }
  return result;
}

}  // namespace

Claim printed_form_claim() {
  return {.id = "A5",
          .title = "backward of PN-V with γ in the denominator, as printed",
          .statement = "grad_x_i = 1/(ψγ) ∂L/∂y_i − 1/(ψγB) Σ_j ∂L/∂y_j x̂_j x̂_i",
          .source = "[SYG+20], as transcribed; derived: docs/derivations/norms.md",
          .assumptions = "γ ≠ 0, ε > 0",
          .expected = Verdict::refuted,
          .dropped = "γ² = 1 (∂L/∂x̂ = γ ∂L/∂y, so that the prefactor is γ/ψ)",
          .check = [](const Run& run) {
            const BatchKind kind{.max_rows = 6, .zero_gamma = false};
            const auto with_signs = rc::gen::map(batches(kind), [](Batch b) {
              for (double& gamma : b.gamma) gamma = gamma < 0 ? -1 : 1;
              return b;
            });
            return refute_with_control(
                examine(run, printed_form_property(run.subject, batches(kind))),
                [&] {
                  return examine(reduce_case_count(run),
                                 printed_form_property(run.subject, with_signs));
                },
                "with γ² = 1 it holds");
          }};
}

Claim central_difference_claim() {
  return {
      .id = "A12",
      .title = "gradient of PN-V by differences at 100 digits",
      .statement =
          "|grad_x_k − (L(x + h e_k) − L(x − h e_k))/2h| ≤ 12 h² Σ|g|/(B s³) + rounding, "
          "h ≈ 2⁻¹¹⁰ s, L = Σ ∂L/∂y·y",
      .source = "derived: docs/derivations/claims.md, A12",
      .assumptions = "ε > 0",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const auto& subject = run.subject;
        return examine(
            run,
            Property<Batch>{
                .cases = batches({.max_rows = 6, .max_features = 2}),
                .judge = [&](const Batch& b) { return compare_difference(subject, b).judgement; },
                .describe =
                    [&](const Batch& b) {
                      const ComparedGradients c = compare_difference(subject, b);
                      return fmt::format("{}: grad_x = {}, difference {}", show(b), show(c.grad_x),
                                         show(c.other));
                    },
                .worst_meaning = "|grad_x − difference| / (truncation + rounding), 100 digits"});
      }};
}

}  // namespace normproof::verification::claims::ledger
