#include <fmt/format.h>

#include "verification/claims/ledger/recursion.hpp"

// Claim C16: the true gradient through time, which PowerNorm's backward approximates.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::numeric::Dual;

/// The place of an element of x in a sequence of steps. A loss is differentiated with respect to
/// this element. The loss is the sum over all steps of <grad_y_t, y_t> for one channel of
/// power_norm.
struct Variable {
  std::size_t step = 0, row = 0;
};

/// Computes the derivative with the implementation under test. State and derivatives are carried
/// from step to step.
oracle50 derivative_by_implementation(const TestedImplementation& subject, const History& h,
                                      const Variable& variable) {
  NamedTensors<dual> state;
  const auto set = [&](const char* name, double v) {
    state.set(name, ref::tensor::full_tensor<dual>({1}, dual(v)));
  };
  set("running_psi2", h.psi2);
  set("nu", h.nu);
  set("iterations", 0);
  oracle50 slope = 0;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    NormInputs<dual> inputs;
    inputs.x = ref::tensor::empty_tensor<dual>({h.rows(), 1});
    for (std::size_t i = 0; i < h.rows(); ++i) inputs.x.data()[i] = dual(h.x[t][i]);
    if (t == variable.step) inputs.x.data()[variable.row].derivative = 1;
    inputs.gamma = ref::tensor::full_tensor<dual>({1}, dual(h.gamma));
    auto step = subject.step<dual>(h.paper(), inputs, state);
    for (std::size_t i = 0; i < h.rows(); ++i)
      slope += h.grad_y[t][i] * step.outputs.at("y").data()[i].derivative;
    state = std::move(step.state);
  }
  return slope;
}

/// Returns a bound of the rounding error of the derivative. Runs the forward on dual numbers with
/// error bounds.
oracle50 derivative_error_bound(const History& h, const Variable& variable) {
  using Number = Dual<Bounded>;
  const auto constant = [](double v) { return Number(Bounded(v)); };
  const Number w = constant(1) - constant(h.alpha_forward);
  Number psi2 = constant(h.psi2);
  std::vector<Bounded> terms;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    const Number rstd = constant(1) / sqrt(psi2 + constant(h.eps));
    std::vector<Bounded> squares, slopes;
    for (std::size_t i = 0; i < h.rows(); ++i) {
      Number x = constant(h.x[t][i]);
      if (t == variable.step && i == variable.row) x.derivative = 1;
      terms.push_back(Bounded(h.grad_y[t][i]) * (constant(h.gamma) * (x * rstd)).derivative);
      squares.push_back((x * x).value);
      slopes.push_back((x * x).derivative);
    }
    psi2 = constant(h.alpha_forward) * psi2 + w * Number(mean(squares), mean(slopes));
  }
  return sum(terms).error;
}

/// Computes the gradient through time by its formula, with s_t^2 = psi_t^2 + eps and Lambda_u =
/// mean(g_u x_hat_u):
///   dL/dx_t = g_t / s_(t-1) - x_t (1 - alpha) sum_(u > t) alpha^(u-1-t) Lambda_u / s_(u-1)^2.
Bounded gradient_through_time_formula(const History& h, const Variable& variable) {
  const Bounded alpha(h.alpha_forward);
  Bounded psi2 = h.psi2, weight = 1, first, future;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    const Bounded square = psi2 + Bounded(h.eps);
    std::vector<Bounded> squares, products;
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const Bounded x(h.x[t][i]), g = Bounded(h.gamma) * Bounded(h.grad_y[t][i]);
      squares.push_back(x * x);
      products.push_back(g * x / sqrt(square));
      if (t == variable.step && i == variable.row) first = g / sqrt(square);
    }
    if (t > variable.step) {
      future += weight * mean(products) / square;
      weight *= alpha;
    }
    psi2 = alpha * psi2 + (Bounded(1) - alpha) * mean(squares);
  }
  return first - Bounded(h.x[variable.step][variable.row]) * (Bounded(1) - alpha) * future;
}

Judgement judge_gradient_formula(const TestedImplementation& subject, const History& h) {
  Judgement judged = judge_condition(true);
  for (std::size_t t = 0; t < h.steps(); ++t) {
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const Bounded slope(derivative_by_implementation(subject, h, {t, i}),
                          derivative_error_bound(h, {t, i}));
      judged = worse_judgement(judged, agree(slope, gradient_through_time_formula(h, {t, i})));
    }
  }
  return judged;
}

/// Returns a text with the distance of power_norm's grad_x from the true gradient over a history of
/// `steps` batches.
std::string describe_gradient_distance(const Run& run) {
  Draw draw(make_case_random(run, 0));
  History h;
  h.alpha_forward = h.alpha_backward = 0.9;
  h.eps = 1e-5;
  for (int t = 0; t < 10; ++t) {
    std::vector<double> x, g;
    for (int i = 0; i < 3; ++i) {
      x.push_back(draw.normal());
      g.push_back(draw.normal() + 0.7 * x.back());
    }
    h.x.push_back(x);
    h.grad_y.push_back(g);
  }
  const auto moments = run_history(make_channel(run.subject, h.paper(), h), h);
  oracle50 difference = 0, size = 0;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const oracle50 slope = derivative_by_implementation(run.subject, h, {t, i});
      const oracle50 off = moments[t].grad_x[i].value - slope;
      difference += off * off;
      size += slope * slope;
    }
  }
  return fmt::format(
      "PowerNorm's own grad_x, past-weighted, is off by {:.2f} of the norm over {} "
      "batches from the start",
      static_cast<double>(oracle50(sqrt(oracle50(difference / size)))), h.steps());
}

Claim claim_c16() {
  return {
      .id = "C16",
      .title = "the true gradient through time looks ahead",
      .statement =
          "∂/∂x_t Σ_u ⟨g_u, x̂_u⟩ = g_t/ψ_{t−1} − x_t (1 − α) Σ_{u>t} αᵘ⁻¹⁻ᵗ "
          "Λ_u/ψ_{u−1}², with ψ² + ε for ψ² throughout",
      .source = "derived: docs/derivations/norms.md",
      .assumptions = "the forward of power_norm; any α, ε and start, W = 0",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const Evidence main = examine(
            run,
            Property<History>{
                .cases = generate_histories({.max_steps = 4, .max_rows = 2}),
                .judge = [&](const History& h) { return judge_gradient_formula(run.subject, h); },
                .describe =
                    [&](const History& h) {
                      return fmt::format("{}: ∂/∂x of the first step's first row {}, formula {}",
                                         show(h),
                                         show(derivative_by_implementation(run.subject, h, {})),
                                         show(gradient_through_time_formula(h, {}).value));
                    },
                .worst_meaning = "|derivative − formula| / what rounding at 50 digits may do"});
        return add_remark(main, describe_gradient_distance(run));
      }};
}

}  // namespace

std::vector<Claim> gradient_through_time_claims() {
  return {claim_c16()};
}

}  // namespace normproof::verification::claims::ledger
