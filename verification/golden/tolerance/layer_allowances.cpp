#include "verification/golden/tolerance/layer_allowances.hpp"

#include <algorithm>
#include <cmath>

#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using corpus::case_operation_name;
using corpus::find;
using corpus::unit_roundoff;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// Allows an adapter to convert running statistics from another convention. The adapter may
/// multiply them by n/(n-1) or its reciprocal. It may also use the weight a where the reference
/// uses 1 - a.
void allow_conversion(const NamedTensors<double>& values, double u, NamedTensors<double>& bound) {
  for (const char* const name : {"running_mean", "running_variance"}) {
    const Tensor<double>* const running = values.find(name);
    if (running == nullptr) continue;
    for (std::size_t i = 0; i < running->size(); ++i)
      bound.at(name).data()[i] += kConvertedStatisticError * u * std::fabs(running->data()[i]);
  }
}

/// Allows an implementation to store gamma x_hat before it adds beta. The stored value is at most
/// `|y| + |beta|`.
void allow_beta_after_storing(const Case& c, const Tensor<double>& beta, const Tensor<double>& y,
                              Tensor<double>& bound) {
  if (!ref::tensor::is_given(beta)) return;
  const double u = unit_roundoff(c.dtype);
  for (std::size_t i = 0; i < y.size(); ++i)
    bound.data()[i] +=
        u * (std::fabs(y.data()[i]) + std::fabs(beta.data()[i % beta.size()]) + bound.data()[i]);
}

}  // namespace

void add_layer_allowances(const Case& c, const ref::model::NormInputs<double>& inputs,
                          const NamedTensors<double>& values, Accumulation accumulation,
                          NamedTensors<double>& bound) {
  const double u = accumulation_arithmetic(accumulation).unit_roundoff;
  allow_conversion(values, u, bound);
  if (corpus::adds_beta_after_storing(case_operation_name(c)) &&
      corpus::rounds_when_stored(c.dtype, accumulation))
    allow_beta_after_storing(c, inputs.beta, values.at("y"), bound.at("y"));
}

}  // namespace normproof::verification::golden::tolerance
