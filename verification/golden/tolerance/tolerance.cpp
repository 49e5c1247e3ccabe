#include "verification/golden/tolerance/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/not_finite_elements.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/tolerance/function_allowances.hpp"
#include "verification/golden/tolerance/layer_allowances.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using certify::kReplacements;
using certify::replace_not_finite;
using corpus::accumulation_arithmetic;
using corpus::case_operation_name;
using corpus::is_centered;
using corpus::is_function;
using corpus::is_layer;
using corpus::storage_format;
using corpus::unit_roundoff;
using corpus::usual_accumulation;
using plain::plain_error_bounds;
using recipes::inputs_of;
using ref::numeric::any_order_error;
using ref::numeric::AnyOrderArithmetic;
using ref::numeric::Arithmetic;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

struct ValuesAndErrors {
  NamedTensors<double> values, errors;
};

ValuesAndErrors evaluate(const Case& c, const checks::evaluation::EvalInputs& inputs,
                         const Arithmetic& arithmetic) {
  const AnyOrderArithmetic scope(arithmetic);
  ValuesAndErrors evaluated;
  for (const auto& [name, elements] :
       checks::evaluation::run_operation<any_order_error>(c.options, inputs, c.sequence)) {
    Tensor<double> value = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(elements));
    Tensor<double> error = value;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      value.data()[i] = elements.data()[i].value;
      error.data()[i] = elements.data()[i].error;
    }
    evaluated.values.set(name, std::move(value));
    evaluated.errors.set(name, std::move(error));
  }
  return evaluated;
}

using Errors = std::map<std::string, std::vector<double>>;

/// If the error of an element in `errors` is larger than its bound, raises the bound to that error.
/// If `output` is given, only the bounds of that output are raised.
void allow(const Errors& errors, NamedTensors<double>& bound, std::string_view output = {}) {
  for (const auto& [name, own] : errors) {
    if (!output.empty() && name != output) continue;
    double* const element = bound.at(name).data();
    for (std::size_t i = 0; i < own.size(); ++i) element[i] = std::max(element[i], own[i]);
  }
}

/// Allows other formulas of mean and variance. The shifted formulas `k + E[x-k]` and
/// `E[(x-k)^2] - E[x-k]^2`, with k the first element, are as accurate as two passes unless k is far
/// from the mean. A mean that is updated for each element, as in Welford's method, is as accurate
/// as a sum unless it is near 0 and there are few elements. The difference is visible only if mean
/// and variance themselves are outputs.
void allow_other_statistics(const Case& c, const checks::evaluation::EvalInputs& inputs,
                            const Arithmetic& arithmetic, NamedTensors<double>& bound) {
  const auto allow_style = [&](const plain::Style& style, std::vector<const char*> names) {
    std::erase_if(names, [&](const char* name) { return bound.find(name) == nullptr; });
    if (names.empty()) return;
    const Errors errors = plain_error_bounds(c, inputs, style, arithmetic);
    for (const char* const name : names) allow(errors, bound, name);
  };
  allow_style({.shifted = true}, {"biased_variance", "mean", "running_mean"});
  allow_style({.welford = true}, {"mean", "running_mean"});
}

/// Converts the bounds of outputs with a given scale to units of that scale. The candidate divides
/// by the scale in float32, whatever arithmetic the operation uses.
void divide_by_scales(const Case& c, const NamedTensors<double>& values, Tolerance& bounds) {
  const AnyOrderArithmetic scope(arithmetic_of_candidate(Accumulation::float32, bounds.flushes));
  for (auto& [name, bound] : bounds.bound) {
    if (corpus::output_scaling(c, name) != corpus::OutputScaling::given) continue;
    const double scale = ref::io::widen(*corpus::find(c.inputs, corpus::scale_name(name)))[0];
    const Tensor<double>& value = values.at(name);
    Tensor<double>& input_sensitivity = bounds.input_sensitivity.at(name);
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const any_order_error own(value.data()[i], bound.data()[i]);
      bound.data()[i] = (own / any_order_error(scale)).error;
      input_sensitivity.data()[i] /= scale;
    }
  }
}

/// Returns the bound after rounding to an 8-bit format. Before rounding, a value lies within
/// `bound` of the exact value. Rounding is monotonic, so the new bound is the distance between the
/// exact value and the farther of the two rounded ends of this interval.
double storage_bound_8bit(double bound, double exact, double remainder, DType stored) {
  if (!std::isfinite(bound)) return bound;
  constexpr double kSlack = 1 + 0x1p-48;  // covers the rounding errors of the sums below
  const ref::numeric::FloatFormat& format = float_format_info(storage_format(stored));
  const auto to_end = [&](double sign) {
    const double shift = sign * (bound + 0x1p-50 * std::fabs(exact));
    const double end =
        round_to(format, exact + (remainder + shift), ref::numeric::Overflow::saturate);
    return std::fabs((end - exact) - remainder);
  };
  return std::max(to_end(-1), to_end(1)) * kSlack;
}

/// Sets the bound of an element to infinity if the element may overflow the dtype of the output.
/// This can happen if the arithmetic has fewer digits than the dtype, for example with bfloat16
/// arithmetic and float16 outputs. The element is then not judged, as if the arithmetic itself had
/// overflowed.
void drop_overflowing_bounds(const Case& c, const NamedTensors<double>& values,
                             const Arithmetic& arithmetic, NamedTensors<double>& bounds) {
  for (auto& [name, bound] : bounds) {
    const DType dtype = corpus::output_dtype(c, name);
    if (unit_roundoff(dtype) >= arithmetic.unit_roundoff) continue;
    const double largest = accumulation_arithmetic(storage_format(dtype)).largest;
    const Tensor<double>& value = values.at(name);
    for (std::size_t i = 0; i < bound.size(); ++i)
      if (std::fabs(value.data()[i]) + bound.data()[i] > largest)
        bound.data()[i] = std::numeric_limits<double>::infinity();
  }
}

/// Whether every operation is exact. In an exact case, this is true for the usual arithmetic, but
/// not necessarily for a coarser arithmetic.
bool is_exact(const Case& c, Accumulation accumulation) {
  return c.exact && accumulation_arithmetic(accumulation).unit_roundoff <=
                        accumulation_arithmetic(usual_accumulation(c.dtype)).unit_roundoff;
}

}  // namespace

bool computes_variance(const Case& c) {
  return is_layer(c) ? is_centered(case_operation_name(c))
                     : has_operation<ref::model::AddLayerNormOptions>(c);
}

std::string_view to_string(Formula formula) {
  switch (formula) {
    case Formula::stable:
      return "stable";
    case Formula::two_pass:
      return "two_pass";
    case Formula::folded:
      return "folded";
    case Formula::one_pass:
      return "one_pass";
  }
  return {};
}

Formula parse_formula(std::string_view name) {
  for (const Formula formula : kFormulas)
    if (to_string(formula) == name) return formula;
  throw ref::numeric::UsageError(
      ref::numeric::unknown_name("formula", name, {"folded", "one_pass", "stable", "two_pass"}));
}

Arithmetic arithmetic_of_candidate(Accumulation accumulation, bool flushes) {
  Arithmetic arithmetic = accumulation_arithmetic(accumulation);
  // `tiny` determines the error of an operation with a subnormal result.
  if (!flushes) arithmetic.tiny *= kOperationError * arithmetic.unit_roundoff;
  return arithmetic;
}

Tolerance derive_tolerance(const Case& c, Accumulation accumulation, Formula formula, bool flushes,
                           CastOrder cast_order) {
  return derive_tolerance(c, inputs_of(c), accumulation, formula, flushes, cast_order);
}

Tolerance derive_tolerance(const Case& stored, checks::evaluation::EvalInputs inputs,
                           Accumulation accumulation, Formula formula, bool flushes,
                           CastOrder cast_order) {
  const Case c = corpus::set_computed_dtype(stored);
  const checks::evaluation::EvalInputs given = inputs;
  const certify::NotFiniteElements not_finite(
      [](const Case& asked, const checks::evaluation::EvalInputs& finite) {
        return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
      },
      c, given);
  replace_not_finite(inputs, c, kReplacements);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Arithmetic arithmetic = arithmetic_of_candidate(accumulation, flushes);
  if (corpus::rounds_inputs(stored))
    arithmetic.input_roundoff = kScaledInputError * arithmetic.unit_roundoff;
  arithmetic.exact_operations = is_exact(c, accumulation);
  arithmetic.folded = formula == Formula::folded || formula == Formula::one_pass;
  const double u = unit_roundoff(c.dtype);
  // Assumes exact operations on inputs and options that are rounded once each.
  const Arithmetic rounded_inputs{
      .unit_roundoff = 0, .tiny = 0, .largest = kInfinity, .input_roundoff = u};
  ValuesAndErrors evaluated = evaluate(c, inputs, arithmetic);
  Tolerance bounds{.bound = std::move(evaluated.errors),
                   .flushes = flushes,
                   .input_sensitivity = evaluate(c, inputs, rounded_inputs).errors};
  if (formula == Formula::one_pass && computes_variance(c))
    allow(plain_error_bounds(c, inputs, {.one_pass = true}, arithmetic), bounds.bound);
  if (is_layer(c) && is_centered(case_operation_name(c)))
    allow_other_statistics(c, inputs, arithmetic, bounds.bound);
  if (is_layer(c))
    add_layer_allowances(c, inputs.steps.front(), evaluated.values, accumulation, bounds.bound);
  if (is_function(c))
    add_function_allowances(c, inputs.function, evaluated.values, accumulation, formula,
                            bounds.bound, flushes);
  if (cast_order == CastOrder::before_gamma)
    allow_cast_before_gamma(c, inputs, evaluated.values, accumulation, bounds.bound);
  if (corpus::is_scaled(stored)) divide_by_scales(stored, evaluated.values, bounds);
  drop_overflowing_bounds(stored, evaluated.values, arithmetic, bounds.bound);
  for (auto& [name, bound] : bounds.bound)
    for (std::size_t i = 0; i < bound.size(); ++i)
      if (not_finite.is_undetermined(name, i) || std::isnan(bound.data()[i]))
        bound.data()[i] = kInfinity;
  return bounds;
}

double with_storage_rounding(double bound, double exact, double remainder, DType stored,
                             bool flushes) {
  if (stored == DType::int64) return 0;
  if (ref::io::is_float(stored) && ref::io::item_size(stored) == 1)
    return storage_bound_8bit(bound, exact, remainder, stored);
  const Arithmetic format = accumulation_arithmetic(storage_format(stored));
  // If rounding overflows the format, the output is infinite, which no bound accepts. Neighboring
  // subnormal numbers have the distance `2 u tiny`.
  const double rounded = bound + format.unit_roundoff * (std::fabs(exact) + bound) +
                         2 * format.unit_roundoff * format.tiny;
  const bool is_held =
      remainder == 0 && ref::numeric::round_to(storage_format(stored), exact) == exact;
  const double kept = is_held ? std::min(rounded, 2 * bound) : rounded;
  // A number that is subnormal, or within the bound of a subnormal number, may become 0.
  const bool may_be_flushed = flushes && std::fabs(exact) - bound < format.tiny;
  constexpr double kSlack = 1 + 0x1p-48;  // covers the rounding error of the sum
  return may_be_flushed ? std::max(kept, (std::fabs(exact) + std::fabs(remainder)) * kSlack) : kept;
}

}  // namespace normproof::verification::golden::tolerance
