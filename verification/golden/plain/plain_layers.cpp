#include "verification/golden/plain/plain_layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "ref/model/norm_layers.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_add_norms.hpp"
#include "verification/golden/plain/plain_encoders.hpp"
#include "verification/golden/plain/plain_functions.hpp"
#include "verification/golden/plain/plain_layout.hpp"
#include "verification/golden/plain/plain_norms.hpp"
#include "verification/golden/plain/plain_optimizers.hpp"
#include "verification/golden/plain/plain_scaled.hpp"
#include "verification/golden/plain/plain_transformers.hpp"

namespace normproof::verification::golden::plain {

using corpus::case_operation_name;
using corpus::find;
using corpus::has_statistics_over_rows;
using corpus::is_encoder;
using corpus::is_layer;
using corpus::is_optimizer;
using corpus::is_transformer;
using corpus::needs_tokens;
using corpus::output_dtype;
using corpus::usual_accumulation;
using ref::numeric::any_order_error;

namespace {

template <class T>
using PlainResults = std::map<std::string, std::vector<T>>;

/// Runs all steps of a layer in order. Returns the outputs and states of all steps.
template <class T>
PlainResults<T> run_steps(const Case& c, const EvalInputs& inputs, const Style& style,
                          Sites& sites) {
  PlainResults<T> state, results;
  for (const auto& [name, values] : inputs.state)
    for (const double v : values) state[name].push_back(static_cast<T>(v));
  const auto& options = std::get<model::NormOptions>(c.options);
  for (const auto& step : inputs.steps) {
    PlainLayout layout(model::norm_layout(options), ref::tensor::shape_of(step.x), sites);
    ref::model::NormInputs<double> rows = step;
    rows.x = layout.read("x", step.x);
    rows.grad_y = layout.read("grad_y", step.grad_y);
    PlainNormLayers<T> layer(layout.rows(), rows, state, PlainArithmetic<T>(style, sites));
    std::visit(layer, options);
    auto outputs = layer.take();
    for (const char* name : {"y", "grad_x"}) layout.write(name, outputs);
    outputs.insert(state.begin(), state.end());
    for (const auto& [name, values] : outputs)
      results[name].insert(results[name].end(), values.begin(), values.end());
  }
  return results;
}

/// Returns the outputs of a norm of x + residual.
template <class T>
PlainResults<T> run_add_norm(const Case& c, const EvalInputs& inputs, const Style& style,
                             Sites& sites) {
  const auto& x = inputs.function.tensors.at("x").shape();
  const PlainShape shape{x[0], x.size() == 3 ? x[1] : 1, x.back()};
  PlainAddNorm<T> run(shape, inputs.function, PlainArithmetic<T>(style, sites), sites,
                      [](T v) { return v; });
  const auto& function = std::get<model::FunctionOptions>(c.options);
  if (const auto* const own = std::get_if<model::AddLayerNormOptions>(&function))
    return run.run(norm_of_sum(*own));
  return run.run(norm_of_sum(std::get<model::AddRMSNormOptions>(function)));
}

/// Returns the shape of an output with `count` elements in one step. This is the specified shape,
/// or a single axis if a mutation changed the number of elements.
std::vector<std::size_t> output_shape_of_step(const Case& c, const std::string& name,
                                              std::size_t count) {
  std::vector<std::size_t> x = find(c.inputs, "x")->shape;
  if (c.sequence) x.erase(x.begin());
  if (name == "y" || name == "grad_x") return x;
  const auto& options = std::get<model::NormOptions>(c.options);
  for (const model::NormStatistic& statistic : model::norm_layer(options).statistics) {
    if (statistic.name != name) continue;
    std::vector<std::size_t> shape = model::entry_extents(statistic.shape, x, options);
    std::size_t elements = 1;
    for (const std::size_t extent : shape) elements *= extent;
    if (elements == count) return shape;
  }
  return {count};
}

/// Converts each output to a tensor of the dtype in which a kernel stores it.
template <class T>
std::vector<StoredTensor> stored(const Case& c, std::size_t steps, const PlainResults<T>& results,
                                 const Style& style, Sites& sites) {
  std::vector<StoredTensor> tensors;
  for (const auto& [name, values] : results) {
    std::vector<std::size_t> shape = output_shape_of_step(c, name, values.size() / steps);
    if (c.sequence) shape.insert(shape.begin(), steps);
    tensors.push_back(
        stored_tensor(name, output_dtype(c, name), std::move(shape), values, style, sites));
  }
  return tensors;
}

template <class T>
std::vector<StoredTensor> run_layer_with_scalar_type(const Case& c, const EvalInputs& inputs,
                                                     const Style& style, Sites& sites) {
  return stored(c, inputs.steps.size(), run_steps<T>(c, inputs, style, sites), style, sites);
}

/// Whether the tensor has a nonzero element and all its nonzero elements are subnormal in its
/// dtype.
bool is_subnormal(const StoredTensor& tensor) {
  if (!ref::io::is_float(tensor.dtype)) return false;
  double largest = 0;
  for (const double v : ref::io::widen(tensor)) largest = std::max(largest, std::fabs(v));
  return 0 < largest &&
         largest <
             ref::numeric::float_format_info(corpus::storage_format(tensor.dtype)).smallest_normal;
}

StoredTensor flushed(const StoredTensor& tensor) {
  const double least =
      ref::numeric::float_format_info(corpus::storage_format(tensor.dtype)).smallest_normal;
  std::vector<double> values = ref::io::widen(tensor);
  for (double& v : values)
    if (std::fabs(v) < least) v = 0;
  return ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape, values);
}

/// Injects an error that replaces subnormal results by 0. The error is offered only if an input is
/// subnormal too: otherwise a small result may be the rounding error of a cancellation.
std::vector<StoredTensor> flush_results(const Case& c, std::vector<StoredTensor> results,
                                        Sites& sites) {
  if (std::ranges::none_of(c.inputs, is_subnormal) || std::ranges::none_of(results, is_subnormal) ||
      sites.any("subnormal results", {MutationOperator::flushed}) != MutationOperator::flushed)
    return results;
  for (StoredTensor& result : results)
    if (is_subnormal(result)) result = flushed(result);
  return results;
}

std::vector<StoredTensor> run_without_flush_mutation(const Case& c, const EvalInputs& inputs,
                                                     const Style& style, Sites& sites) {
  if (corpus::is_scaled(c)) return run_plain_with_scaling(c, inputs, style, sites);
  if (is_encoder(c)) return run_plain_encoder(c, inputs, style, sites);
  if (is_transformer(c)) return run_plain_transformer(c, inputs, style, sites);
  if (is_optimizer(c)) return run_plain_optimizer(c, inputs, style, sites);
  if (!is_layer(c)) return run_plain_function(c, inputs, style, sites);
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), [&]<class T>(T) {
    return run_layer_with_scalar_type<T>(c, inputs, style, sites);
  });
}

}  // namespace

std::vector<StoredTensor> run_plain(const Case& c, const EvalInputs& inputs, const Style& style,
                                    Sites& sites) {
  std::vector<StoredTensor> results = run_without_flush_mutation(c, inputs, style, sites);
  return style.flushed ? results : flush_results(c, std::move(results), sites);
}

std::map<std::string, std::vector<double>> plain_error_bounds(
    const Case& c, const EvalInputs& inputs, const Style& style,
    const ref::numeric::Arithmetic& arithmetic, const Mutation& mutation) {
  const ref::numeric::AnyOrderArithmetic scope(arithmetic);
  Sites sites(mutation);
  std::map<std::string, std::vector<double>> errors;
  for (const auto& [name, values] : is_layer(c)
                                        ? run_steps<any_order_error>(c, inputs, style, sites)
                                        : run_add_norm<any_order_error>(c, inputs, style, sites))
    for (const any_order_error& v : values) errors[name].push_back(v.error);
  return errors;
}

}  // namespace normproof::verification::golden::plain
