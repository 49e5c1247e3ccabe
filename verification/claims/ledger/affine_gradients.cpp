#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verification/claims/fixtures/backward_check.hpp"
#include "verification/claims/ledger/backward.hpp"

// Claim A10: the backward of batch renormalization, which treats r and d as constants. Claim A11:
// the gradients of gamma and beta of every layer that has them.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using namespace ref::model;

// ---- A10. The extra numbers of a case are the running mean (as a difference of two numbers), the
// running variance, r_max and d_max.
constexpr BatchKind kRenormKind{.max_rows = 6, .max_features = 2, .extras = 5};

BatchRenormOptions renorm_options(const Batch& b) {
  return {.eps = b.eps, .r_max = 1 + b.extra[3], .d_max = b.extra[4]};
}

template <class T>
NamedTensors<T> renorm_state(const Batch& b) {
  NamedTensors<T> state;
  state.set("running_mean", ref::tensor::full_tensor<T>({b.features}, T(b.extra[0] - b.extra[1])));
  state.set("running_variance", ref::tensor::full_tensor<T>({b.features}, T(b.extra[2])));
  return state;
}

struct RenormComparison {
  Judgement judgement = judge_condition(true);
  oracle50 grad_x, formula, derivative;
};

RenormComparison compare_renorm(const TestedImplementation& subject, const Batch& b) {
  const BatchRenormOptions options = renorm_options(b);
  const auto step =
      subject.step<oracle50>(options, b.inputs<oracle50>(), renorm_state<oracle50>(b));
  // batch_norm without gamma and beta computes z, the x normalized with the batch's own statistics,
  // and its derivative.
  const BatchNormOptions plain{.eps = b.eps, .unbiased_running_variance = false};
  const auto start = ref::norm::initial_state<dual>(plain, b.features);
  RenormComparison result;
  const auto slices = columns(b);
  for (std::size_t j = 0; j < slices.size(); ++j) {
    const Slice slice(b, slices[j], Statistic::variance);
    const oracle50 s = sqrt(oracle50(oracle50(b.extra[2]) + oracle50(b.eps)));
    const oracle50 r_max = oracle50(options.r_max), d_max = oracle50(options.d_max);
    const oracle50 ratio = slice.s / s;
    const oracle50 shift = (slice.mean - oracle50(b.extra[0] - b.extra[1])) / s;
    const oracle50 r = std::clamp(ratio, oracle50(1 / r_max), r_max);
    const bool clamped =
        (ratio > r_max * 2 || ratio * r_max * 2 < 1) && absolute(shift) > 2 * d_max;
    const oracle50 bound = slice.gradient_roundoff() * r;
    for (std::size_t i = 0; i < slices[j].size(); ++i) {
      const std::size_t at = slices[j][i];
      const oracle50 got = step.outputs.at("grad_x").data()[at];
      auto in = b.inputs<dual>();
      in.x.data()[at].derivative = 1;
      // If r and d are clamped, they are constants, so the derivative of the forward itself is
      // exact.
      if (clamped) {
        const oracle50 whole = slope(subject, options, in, renorm_state<dual>(b), b.grad_y);
        result.judgement =
            worse_judgement(result.judgement, within(absolute(got - whole), 2 * bound));
      }
      in.gamma = in.beta = decltype(in.beta)();
      // Uses the upstream gradient of column j alone; gamma is multiplied in later.
      std::vector<double> upstream(b.grad_y.size(), 0);
      for (const std::size_t k : slices[j]) upstream[k] = b.grad_y[k];
      const oracle50 gamma = b.gamma.empty() ? 1.0 : b.gamma[j];
      const oracle50 derivative = r * gamma * slope(subject, plain, std::move(in), start, upstream);
      const oracle50 formula = r * slice.grad_x[i];
      const Judgement one = worse_judgement(within(absolute(got - formula), bound),
                                            within(absolute(got - derivative), 2 * bound));
      if (!(one.attained <= result.judgement.attained))
        result.grad_x = got, result.formula = formula, result.derivative = derivative;
      result.judgement = worse_judgement(result.judgement, one);
    }
  }
  return result;
}

// ---- A11.
constexpr BatchKind kAffineKind{.max_rows = 6, .max_features = 2};

std::vector<Layer> layers_with_affine() {
  std::vector<Layer> layers{batch_norm_layer(), layer_norm_layer(), power_norm_v_layer(),
                            rms_norm_layer(),   group_norm_layer(), instance_norm_layer()};
  const auto add = [&](const std::string& name, auto options) {
    layers.push_back({name, Statistic::quadratic_mean, options, columns});
  };
  add("power_norm", [](const Batch& b) -> NormOptions { return PowerNormOptions{.eps = b.eps}; });
  add("power_norm_released", [](const Batch& b) -> NormOptions {
    return PowerNormReleasedOptions{.eps = b.eps,
                                    .groups = static_cast<std::int64_t>(group_count(b))};
  });
  add("batch_renorm",
      [](const Batch& b) -> NormOptions { return BatchRenormOptions{.eps = b.eps}; });
  return layers;
}

struct AffineComparison {
  Judgement judgement = judge_condition(true);
  std::string worst;
};

AffineComparison compare_affine(const TestedImplementation& subject, const Layer& layer,
                                const Batch& b) {
  const NormOptions options = layer.options(b);
  const auto step = subject.step<oracle50>(options, inputs_of<oracle50>(layer, b));
  // x_hat equals, bit for bit, the y of the layer with gamma = 1 and beta = 0.
  auto bare = inputs_of<oracle50>(layer, b);
  bare.gamma = bare.beta = decltype(bare.beta)();
  const auto x_hat = subject.step<oracle50>(options, bare).outputs.at("y");
  const auto state = ref::norm::initial_state<dual>(options, b.features);
  AffineComparison result;
  for (const bool of_gamma : {true, false}) {
    const char* name = of_gamma ? "grad_gamma" : "grad_beta";
    for (std::size_t j = 0; j < b.features; ++j) {
      oracle50 sum = 0, magnitude = 0;
      for (std::size_t i = 0; i < b.rows; ++i) {
        const std::size_t at = i * b.features + j;
        const oracle50 term =
            of_gamma ? oracle50(oracle50(b.grad_y[at]) * x_hat.data()[at]) : oracle50(b.grad_y[at]);
        sum += term;
        magnitude += absolute(term);
      }
      auto in = inputs_of<dual>(layer, b);
      in.gamma = ref::tensor::full_tensor<dual>({b.features}, dual(1));
      in.beta = ref::tensor::full_tensor<dual>({b.features}, dual(0));
      (of_gamma ? in.gamma : in.beta).data()[j].derivative = 1;
      const oracle50 derivative = slope(subject, options, std::move(in), state, b.grad_y);
      const oracle50 got = step.outputs.at(name).data()[j];
      const oracle50 bound = (4 + 2 * static_cast<double>(b.rows)) * epsilon50() * magnitude;
      const Judgement one = worse_judgement(within(absolute(got - sum), bound),
                                            within(absolute(got - derivative), bound));
      if (!(one.attained <= result.judgement.attained))
        result.worst = fmt::format("{} {}[{}] = {}, sum {}, derivative {}", layer.name, name, j,
                                   show(got), show(sum), show(derivative));
      result.judgement = worse_judgement(result.judgement, one);
    }
  }
  return result;
}

// Checks every layer on each case.
AffineComparison compare_affine(const TestedImplementation& subject, const Batch& b) {
  AffineComparison result;
  for (const Layer& layer : layers_with_affine()) {
    const AffineComparison one = compare_affine(subject, layer, b);
    if (!(one.judgement.attained <= result.judgement.attained)) result.worst = one.worst;
    result.judgement = worse_judgement(result.judgement, one.judgement);
  }
  return result;
}

}  // namespace

Claim batch_renorm_claim() {
  return {.id = "A10",
          .title = "backward of batch renormalisation, r and d held constant",
          .statement =
              "x̂ = r z + d, z = (x − μ_B)/s_B: grad_x_i = (r/s_B)[g_i − mean(g) − z_i mean(g z)], "
              "r = clip(s_B/s, 1/r_max, r_max), d = clip((μ_B − μ)/s, ±d_max)",
          .source = "[Iof17]; derived: docs/derivations/norms.md",
          .assumptions =
              "ε > 0; r and d are constants of the derivative, or clipped (then they are ones)",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return examine(
                run,
                Property<Batch>{
                    .cases = batches(kRenormKind),
                    .judge = [&](const Batch& b) { return compare_renorm(subject, b).judgement; },
                    .describe =
                        [&](const Batch& b) {
                          const RenormComparison c = compare_renorm(subject, b);
                          return fmt::format("{}: grad_x = {}, formula {}, derivative {}", show(b),
                                             show(c.grad_x), show(c.formula), show(c.derivative));
                        },
                    .worst_meaning = "|grad_x − derivative| / bound of rounding at 50 digits"});
          }};
}

Claim affine_gradient_claim() {
  return {.id = "A11",
          .title = "gradients of γ and β",
          .statement =
              "grad_gamma = Σ_rows ∂L/∂y x̂ and grad_beta = Σ_rows ∂L/∂y, of all nine layers "
              "that have γ and β",
          .source = "[IS15] section 3; derived: docs/derivations/norms.md",
          .assumptions = "ε > 0; PowerNorm too: γ and β come after its approximation",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            return examine(
                run,
                Property<Batch>{
                    .cases = batches(kAffineKind),
                    .judge = [&](const Batch& b) { return compare_affine(subject, b).judgement; },
                    .describe =
                        [&](const Batch& b) {
                          return show(b) + ": " + compare_affine(subject, b).worst;
                        },
                    .worst_meaning = "error / bound of rounding of the sum at 50 digits"});
          }};
}

}  // namespace normproof::verification::claims::ledger
