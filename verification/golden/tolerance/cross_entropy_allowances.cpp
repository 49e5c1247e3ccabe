#include "verification/golden/tolerance/cross_entropy_allowances.hpp"

#include <cmath>
#include <vector>

#include "ref/numeric/elementary_array.hpp"
#include "ref/ops/softmax.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

void add_cross_entropy_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                                  Accumulation accumulation, NamedTensors<double>& bound) {
  const double s =
      std::get<ref::model::CrossEntropyOptions>(std::get<ref::model::FunctionOptions>(c.options))
          .loss.label_smoothing;
  const double u = accumulation_arithmetic(accumulation).unit_roundoff;
  const Tensor<double>& x = inputs.tensors.at("logits");
  const std::size_t rows = x.shape(0), classes = x.shape(1);
  const Tensor<double>* const given = inputs.tensors.find("class_weights");
  const auto weight = [&](std::size_t k) { return given == nullptr ? 1 : given->data()[k]; };
  const Tensor<double> sum_exp = ref::ops::log_sum_exp(x);
  const double share = s / static_cast<double>(classes);
  double total = 0, sum_of_weights = 0, moved = 0;
  std::vector<double> moved_gradient(x.size(), 0);
  for (std::size_t k = 0; k < classes; ++k) sum_of_weights += weight(k);
  for (std::size_t i = 0; i < rows; ++i) {
    if (ref::tensor::is_given(inputs.valid) && !inputs.valid.data()[i]) continue;
    const auto target = static_cast<std::size_t>(inputs.targets[i]);
    const double hard = (1 - s) * weight(target), all = hard + share * sum_of_weights;
    const double largest = std::fabs(sum_exp.data()[i]);
    total += weight(target);
    for (std::size_t k = 0; k < classes; ++k) {
      const std::size_t at = i * classes + k;
      const double apart = x.data()[at] - sum_exp.data()[i];
      const double exponent = kOperationError * u * (largest + std::fabs(apart));
      moved += exponent * (share * weight(k) + (k == target ? hard : 0));
      moved_gradient[at] = all * ref::numeric::exp(apart + exponent) * exponent;
    }
  }
  const double slack = operation_slack(2 * static_cast<double>(rows + classes), u);
  bound.at("loss").data()[0] += moved / total * slack;
  for (std::size_t at = 0; at < x.size(); ++at)
    bound.at("grad_logits").data()[at] += moved_gradient[at] / total * slack;
}

}  // namespace normproof::verification::golden::tolerance
