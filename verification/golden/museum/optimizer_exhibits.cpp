#include <algorithm>
#include <cmath>
#include <variant>

#include "ref/model/optimizer_checks.hpp"
#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

using Answer = std::vector<StoredTensor>;

/// One element of the parameter, and its first and second moment.
struct Element {
  double p, first, second;
};
/// The step number t, the learning rate and the options of one step. All elements share them.
struct AdamStep {
  double t, rate;
  ref::model::AdamWOptions o;

  double correction1() const { return 1 - std::pow(o.beta1, t); }
  double correction2() const { return 1 - std::pow(o.beta2, t); }
};
using Update = std::function<void(Element& e, const AdamStep& step)>;

AdamStep make_step(const Case& c, double t) {
  const auto& operation = std::get<ref::model::OptimizerOperation>(c.options);
  if (const auto* const adam = std::get_if<ref::model::AdamOptions>(&operation.optimizer))
    return {t, operation.learning_rate, ref::model::convert_to_adamw_options(*adam)};
  return {t, operation.learning_rate, std::get<ref::model::AdamWOptions>(operation.optimizer)};
}

/// Returns an Adam kernel. It updates the moments correctly, and calls `update` to compute the new
/// parameter.
Kernel adam_with_update(const Update& update) {
  return [update](const Case& c, const KernelEnvironment&) {
    KernelCase work(c);
    const Values& gradients = work.in("grad_parameter");
    Values p = work.in("parameter"), first = work.in("first_moment"),
           second = work.in("second_moment");
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const std::size_t at = i % p.size(), done = i / p.size();
      const AdamStep step = make_step(c, work.in("iterations")[0] + static_cast<double>(done + 1));
      const double g = gradients[i];
      first[at] = step.o.beta1 * first[at] + (1 - step.o.beta1) * g;
      second[at] = step.o.beta2 * second[at] + (1 - step.o.beta2) * g * g;
      Element e{p[at], first[at], second[at]};
      update(e, step);
      work.out("parameter")[i] = p[at] = e.p;
      work.out("first_moment")[i] = first[at];
      work.out("second_moment")[i] = second[at];
    }
    return work.answer();
  };
}

double direction(const Element& e, const AdamStep& step, double correction1, double correction2) {
  return step.rate * (e.first / correction1) / (std::sqrt(e.second / correction2) + step.o.eps);
}
double decay(const AdamStep& step) {
  return 1 - step.rate * step.o.weight_decay;
}

void adam_with_eps_before_bias_correction(Element& e, const AdamStep& step) {
  const double rate = step.rate * std::sqrt(step.correction2()) / step.correction1();
  e.p = e.p * decay(step) - rate * e.first / (std::sqrt(e.second) + step.o.eps);
}

void adamw_with_decay_after_step(Element& e, const AdamStep& step) {
  e.p = (e.p - direction(e, step, step.correction1(), step.correction2())) * decay(step);
}

/// Adam with an injected error: the steps are counted in bfloat16, so that the counter stops at
/// 256.
void adam_with_bfloat16_step_counter(Element& e, const AdamStep& step) {
  AdamStep counted = step;
  counted.t = std::min(step.t, 256.0);
  e.p = e.p * decay(step) - direction(e, step, counted.correction1(), counted.correction2());
}

void adam_without_bias_corrections(Element& e, const AdamStep& step) {
  e.p = e.p * decay(step) - direction(e, step, 1, 1);
}

/// Adam with an injected error: the bias correction is `1 - (1 - beta^t)` instead of `1 - beta^t`.
void adam_with_inverted_bias_correction(Element& e, const AdamStep& step) {
  e.p = e.p * decay(step) - direction(e, step, 1 - step.correction1(), 1 - step.correction2());
}

}  // namespace

std::vector<Exhibit> optimizer_exhibits() {
  return {
      {"eps_before_the_correction", "karpathy/nanochat#304",
       "eps is added to the root of the second moment before its bias is corrected", kUnknownGap,
       "adamw", std::nullopt, adam_with_update(adam_with_eps_before_bias_correction)},
      {"decay_after_the_step", "bitsandbytes-foundation/bitsandbytes#2010",
       "the decay multiplies the step too", "a rate above 0.001 with a decay above 0.01", "adamw",
       std::nullopt, adam_with_update(adamw_with_decay_after_step)},
      {"counter_in_bfloat16", "pytorch/ao#4915",
       "the steps are counted in bfloat16, where 256 + 1 is 256", "a default dtype of bfloat16",
       "adamw", std::nullopt, adam_with_update(adam_with_bfloat16_step_counter)},
      {"without_corrections", "nerfstudio-project/gsplat#770",
       "the moments are used without the correction of their bias",
       "the first steps from a dense beginning", "adam", std::nullopt,
       adam_with_update(adam_without_bias_corrections)},
      {"one_subtracted_twice", "kozistr/pytorch_optimizer#308",
       "1 is subtracted twice in the corrections, which leaves beta^t", kUnknownGap, "adam",
       std::nullopt, adam_with_update(adam_with_inverted_bias_correction)},
  };
}

}  // namespace normproof::verification::golden::museum
