#include "verification/claims/backward_check.hpp"

#include <fmt/format.h>

#include <utility>

namespace normproof::verification::claims {

using namespace ref::model;

std::size_t samples_of(const Batch& b) {
  return b.rows % 3 == 0 ? 3 : b.rows % 2 == 0 ? 2 : 1;
}
std::size_t groups_of(const Batch& b) {
  return b.features % 2 == 0 ? 2 : 1;
}

template <class T>
NormInputs<T> inputs_of(const Layer& layer, const Batch& b) {
  NormInputs<T> in = b.inputs<T>();
  if (!layer.samples) return in;
  const ref::tensor::Shape shape{samples_of(b), b.rows / samples_of(b), b.features};
  in.x.reshape(shape);
  if (!b.grad_y.empty()) in.grad_y.reshape(shape);
  return in;
}
template NormInputs<oracle50> inputs_of(const Layer&, const Batch&);
template NormInputs<dual> inputs_of(const Layer&, const Batch&);

Layer batch_norm_layer() {
  return {"batch_norm", Statistic::variance,
          [](const Batch& b) -> NormOptions {
            return BatchNormOptions{.eps = b.eps, .unbiased_running_variance = false};
          },
          columns};
}
Layer layer_norm_layer() {
  return {"layer_norm", Statistic::variance,
          [](const Batch& b) -> NormOptions { return LayerNormOptions{.eps = b.eps}; }, rows};
}
Layer power_norm_v_layer() {
  return {"power_norm_v", Statistic::quadratic_mean,
          [](const Batch& b) -> NormOptions { return PowerNormVOptions{.eps = b.eps}; }, columns};
}
Layer rms_norm_layer() {
  return {"rms_norm", Statistic::quadratic_mean,
          [](const Batch& b) -> NormOptions { return RMSNormOptions{.eps = b.eps}; }, rows};
}
Layer group_norm_layer() {
  return {"group_norm", Statistic::variance,
          [](const Batch& b) -> NormOptions {
            return GroupNormOptions{.eps = b.eps,
                                    .groups = static_cast<std::int64_t>(groups_of(b))};
          },
          [](const Batch& b) { return sample_groups(b, samples_of(b), groups_of(b)); }, true};
}
Layer instance_norm_layer() {
  return {"instance_norm", Statistic::variance,
          [](const Batch& b) -> NormOptions { return InstanceNormOptions{.eps = b.eps}; },
          [](const Batch& b) { return sample_groups(b, samples_of(b), b.features); }, true};
}
Layer group_scaling_layer() {
  return {"group_scaling", Statistic::quadratic_mean,
          [](const Batch& b) -> NormOptions {
            return GroupScalingOptions{.eps = b.eps,
                                       .groups = static_cast<std::int64_t>(groups_of(b))};
          },
          [](const Batch& b) { return sample_groups(b, b.rows, groups_of(b)); }};
}
Layer scale_norm_layer() {
  return {"scale_norm", Statistic::square_sum,
          [](const Batch& b) -> NormOptions { return ScaleNormOptions{.eps = b.eps}; }, rows};
}

oracle50 slope(const Subject& subject, const NormOptions& options, NormInputs<dual> in,
               const NamedTensors<dual>& state, const std::vector<double>& grad_y) {
  in.grad_y = decltype(in.grad_y)();
  const auto step = subject.step<dual>(options, in, state);
  const auto& y = step.outputs.at("y");
  oracle50 sum = 0;
  for (std::size_t i = 0; i < grad_y.size(); ++i)
    sum += oracle50(grad_y[i]) * y.data()[i].derivative;
  return sum;
}

ComparedBackward compare_backward(const Subject& subject, const Layer& layer, const Batch& b) {
  const NormOptions options = layer.options(b);
  const auto step = subject.step<oracle50>(options, inputs_of<oracle50>(layer, b));
  const auto& grad_x = step.outputs.at("grad_x");
  const auto state = ref::norm::initial_state<dual>(options, b.features);
  ComparedBackward result;
  for (const Members& members : layer.slices(b)) {
    const Slice slice(b, members, layer.statistic);
    const oracle50 bound = slice.gradient_roundoff();
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto in = inputs_of<dual>(layer, b);
      in.x.data()[members[i]].derivative = 1;
      const oracle50 derivative = slope(subject, options, std::move(in), state, b.grad_y);
      const oracle50 got = grad_x.data()[members[i]];
      const Judgement one = both(within(absolute(got - slice.grad_x[i]), bound),
                                 within(absolute(got - derivative), 2 * bound));
      if (!(one.attained <= result.judgement.attained)) {
        result.at = members[i];
        result.grad_x = got;
        result.formula = slice.grad_x[i];
        result.derivative = derivative;
      }
      result.judgement = both(result.judgement, one);
    }
  }
  return result;
}

Property<Batch> backward_property(const Subject& subject, const Layer& layer,
                                  const BatchKind& kind) {
  return {.cases = batches(kind),
          .judge = [=](const Batch& b) { return compare_backward(subject, layer, b).judgement; },
          .describe =
              [=](const Batch& b) {
                const ComparedBackward c = compare_backward(subject, layer, b);
                return fmt::format("{}: {}: grad_x[{}] = {}, formula {}, derivative {}", layer.name,
                                   show(b), c.at, show(c.grad_x), show(c.formula),
                                   show(c.derivative));
              },
          .worst_meaning = "|grad_x − derivative| / bound of rounding at 50 digits"};
}

}  // namespace normproof::verification::claims
