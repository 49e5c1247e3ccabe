#include "gpu/nn/merge_attention_states.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include "gpu/device/launch.hpp"
#include "gpu/nn/merge_kernels.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/softmax.hpp"
#include "ref/model/attention_states.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {
namespace {

using device::Device;
using device::DeviceMask;
using device::Shape;
using ref::model::AttentionStates;
using ref::numeric::Clause;

Shape shape_or_none(const Mask& mask) {
  return ref::tensor::is_given(mask) ? ref::tensor::shape_of(mask) : Shape{};
}

/// Checks the elements of the splits that are not empty. A split has `width` elements.
void check_present(std::string_view function, std::string_view argument,
                   const DeviceTensor<double>& t, std::size_t width, const Mask& present) {
  if (ops::find_first_not_finite(t) == t.size()) return;
  const auto values = device::download(t);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values.data()[i];
    if (!ref::model::is_present(present, i / width) || ref::numeric::is_finite(v)) continue;
    ref::numeric::not_finite_failure(
        function, argument,
        "has the element " + ref::tensor::index_to_string(i, t.shape()) + " = " + std::to_string(v),
        "finite values in splits that are not empty", Clause::C4);
  }
}

bool has_base_2(const ref::model::MergeAttentionStatesOptions& options) {
  return options.log_sum_exp_base == ref::model::LogSumExpBase::two;
}
double log_of_2() {
  return ref::numeric::log(2.0);
}

DeviceMask row_mask(Device& device, const Mask& by_row) {
  return ref::tensor::is_given(by_row) ? DeviceMask(device, by_row, by_row.shape().back())
                                       : DeviceMask();
}

}  // namespace

MergedStates merge_attention_states(const DeviceTensor<double>& o,
                                    const DeviceTensor<double>& log_sum_exp, const Mask& present,
                                    const ref::model::MergeAttentionStatesOptions& options) {
  constexpr auto kName = "merge_attention_states";
  const AttentionStates states =
      ref::model::attention_states(kName, o.shape(), log_sum_exp.shape(), shape_or_none(present));
  check_present(kName, "o", o, states.value_features, present);
  check_present(kName, "log_sum_exp", log_sum_exp, 1, present);
  Device& device = o.device();
  const DeviceTensor<bool> flags = device::upload(device, present);
  DeviceTensor<double> differences(device, {states.rows, states.splits});
  DeviceTensor<double> largest(device, {states.rows});
  device::launch_elements(
      device, states.rows,
      RelativeStates{log_sum_exp.span(), flags.span(), states.splits, states.rows,
                     has_base_2(options), log_of_2(), differences.span(), largest.span()});
  Mask by_row = ref::model::states_by_row(states, present);
  const Mask without = ref::model::queries_without_state(states, present);
  MergedStates result;
  result.weights = ops::softmax(differences, row_mask(device, by_row));
  DeviceTensor<double> terms(device, {states.splits, states.rows * states.value_features});
  device::launch_elements(
      device, terms.size(),
      WeighStates{std::as_const(result.weights).span(), o.span(), flags.span(), states.splits,
                  states.rows, states.value_features, terms.span()});
  result.y = ops::sum_columns(terms).reshaped(states.y_shape());
  for (std::size_t i = 0; i < by_row.size() && ref::tensor::is_given(by_row); ++i)
    if (without.data()[i / states.splits]) by_row.data()[i] = true;
  DeviceTensor<double> logs = ops::log_sum_exp(differences, row_mask(device, by_row));
  const DeviceTensor<bool> without_state = device::upload(device, without);
  device::launch_elements(
      device, states.rows,
      MergedLogs{std::as_const(largest).span(), without_state.span(), has_base_2(options),
                 log_of_2(), -std::numeric_limits<double>::infinity(), logs.span()});
  result.log_sum_exp = logs.reshaped(states.queries);
  return result;
}

StateGradients merge_attention_states_backward(
    const DeviceTensor<double>& grad_y, const DeviceTensor<double>& o,
    const DeviceTensor<double>& weights, const Mask& present,
    const ref::model::MergeAttentionStatesOptions& options) {
  constexpr auto kName = "merge_attention_states_backward";
  Shape logs = o.shape();
  if (!logs.empty()) logs.pop_back();
  const AttentionStates states =
      ref::model::attention_states(kName, o.shape(), logs, shape_or_none(present));
  check_present(kName, "o", o, states.value_features, present);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), states.y_shape(), Clause::C5);
  ref::tensor::check_shape(kName, "weights", weights.shape(), {states.rows, states.splits},
                           Clause::C6);
  if (ops::find_first_not_finite(grad_y) < grad_y.size())
    ref::tensor::check_finite(kName, "grad_y", device::download(grad_y), Clause::C5);
  Device& device = o.device();
  const DeviceTensor<bool> flags = device::upload(device, present);
  StateGradients gradients{DeviceTensor<double>(device, o.shape()),
                           DeviceTensor<double>(device, logs)};
  device::launch_elements(device, o.size(),
                          WeighStates{weights.span(), grad_y.span(), flags.span(), states.splits,
                                      states.rows, states.value_features, gradients.o.span()});
  DeviceTensor<double> products(device, {states.splits * states.rows, states.value_features});
  device::launch_elements(
      device, products.size(),
      StateProducts{grad_y.span(), o.span(), flags.span(), states.value_features, products.span()});
  const DeviceTensor<double> sums = ops::sum_rows(products);
  DeviceTensor<double> grad_weights(device, {states.rows, states.splits});
  device::launch_elements(
      device, grad_weights.size(),
      ExchangeAxes{sums.span(), states.splits, states.rows, 1, grad_weights.span()});
  const DeviceTensor<double> grad_logs = ops::softmax_backward(
      grad_weights, weights, row_mask(device, ref::model::states_by_row(states, present)));
  device::launch_elements(
      device, grad_logs.size(),
      ExchangeAxes{grad_logs.span(), states.rows, states.splits, 1, gradients.log_sum_exp.span()});
  if (has_base_2(options))
    device::launch_elements(device, grad_logs.size(),
                            ScaleColumns{log_of_2(), 1, 1, gradients.log_sum_exp.span()});
  return gradients;
}

}  // namespace normproof::gpu::nn
