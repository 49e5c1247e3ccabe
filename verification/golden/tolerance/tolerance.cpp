#include "verification/golden/tolerance/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "ref/numeric/error_tape.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/power_of_two.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/norm_sums.hpp"
#include "verification/golden/certify/not_finite_elements.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/tolerance/activation_allowances.hpp"
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
  /// The outputs of a block that are sums over its rows. The sums of blocks can be added.
  NamedTensors<any_order_error> sums = {};
};

void split(const Tensor<any_order_error>& elements, Tensor<double>& value, Tensor<double>& error) {
  value = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(elements));
  error = value;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    value.data()[i] = elements.data()[i].value;
    error.data()[i] = elements.data()[i].error;
  }
}

/// Whether the bounds of a case follow from the derivatives of its operations too. A model is a
/// chain of many operations, so that a product of their largest amplifications says little.
bool has_bounds_along_derivatives(const Case& c, const Arithmetic& arithmetic) {
  return (corpus::is_encoder(c) || corpus::is_transformer(c)) && !arithmetic.folded;
}

/// Replaces the bounds that are larger than those along the derivatives. With rounding errors,
/// implementations may compute in equally accurate ways that differ from the recorded operations.
void tighten(const Tensor<any_order_error>& elements, bool has_rounding_errors,
             ref::numeric::ErrorTape& tape, Tensor<double>& error) {
  const double factor = has_rounding_errors ? kOtherFormsOfModels : 1;
  for (std::size_t i = 0; i < error.size(); ++i)
    if (error.data()[i] > 0)
      error.data()[i] = std::min(error.data()[i], factor * tape.bound(elements.data()[i]));
}

ValuesAndErrors evaluate(const Case& c, const checks::evaluation::EvalInputs& inputs,
                         const Arithmetic& arithmetic) {
  constexpr std::size_t kMaxNodes = std::size_t{1} << 20, kMaxVisits = std::size_t{1} << 27;
  const AnyOrderArithmetic scope(arithmetic);
  std::optional<ref::numeric::ErrorTape> tape;
  if (has_bounds_along_derivatives(c, arithmetic)) tape.emplace(kMaxNodes, kMaxVisits);
  auto results = checks::evaluation::run_operation<any_order_error>(c.options, inputs, c.sequence);
  ValuesAndErrors evaluated;
  for (const auto& [name, elements] : results) {
    Tensor<double> value, error;
    split(elements, value, error);
    evaluated.values.set(name, std::move(value));
    evaluated.errors.set(name, std::move(error));
  }
  // The forward comes first, because its bounds follow from fewer operations than the gradients.
  for (const bool is_gradient : {false, true})
    for (const auto& [name, elements] : results)
      if (tape && name.starts_with("grad_") == is_gradient)
        tighten(elements, arithmetic.unit_roundoff > 0, *tape, evaluated.errors.at(name));
  for (auto& [name, elements] : results)
    if (certify::is_sum_over_rows(name)) evaluated.sums.set(name, std::move(elements));
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
  // A statistic of the forward pass does not depend on grad_y.
  checks::evaluation::EvalInputs forward = inputs;
  for (auto& step : forward.steps) step.grad_y = Tensor<double>();
  const auto allow_style = [&](const plain::Style& style, std::vector<const char*> names) {
    std::erase_if(names, [&](const char* name) { return bound.find(name) == nullptr; });
    if (names.empty()) return;
    const Errors errors = plain_error_bounds(c, forward, style, arithmetic);
    for (const char* const name : names) allow(errors, bound, name);
  };
  allow_style({.shifted = true}, {"biased_variance", "mean", "running_mean"});
  allow_style({.welford = true}, {"mean", "running_mean"});
}

/// Converts the bounds of outputs with a given scale to units of that scale. The candidate divides
/// by the scale in float32, whatever arithmetic the operation uses. A quotient by a power of two is
/// exact on any hardware.
void divide_by_scales(const Case& c, const NamedTensors<double>& values, Tolerance& bounds) {
  const AnyOrderArithmetic scope(arithmetic_of_candidate(Accumulation::float32, bounds.flushes));
  for (auto& [name, bound] : bounds.bound) {
    if (corpus::output_scaling(c, name) != corpus::OutputScaling::given) continue;
    const double scale = ref::io::widen(*corpus::find(c.inputs, corpus::scale_name(name)))[0];
    const Tensor<double>& value = values.at(name);
    Tensor<double>& input_sensitivity = bounds.input_sensitivity.at(name);
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const any_order_error own(value.data()[i], bound.data()[i]);
      bound.data()[i] = ref::numeric::is_power_of_two(scale) ? bound.data()[i] / scale
                                                             : (own / any_order_error(scale)).error;
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

bool has_formula(const Case& c, Formula formula) {
  switch (formula) {
    case Formula::stable:
      return has_stable_formula(c);
    case Formula::one_pass:
      return computes_variance(c);
    default:
      return true;
  }
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

namespace {

/// How the error bounds of a case are derived.
struct Derivation {
  Accumulation accumulation;
  Formula formula;
  bool flushes;
  CastOrder cast_order;
};

Arithmetic arithmetic_for(const Case& stored, const Case& c, const Derivation& how) {
  Arithmetic arithmetic = arithmetic_of_candidate(how.accumulation, how.flushes);
  if (corpus::rounds_inputs(stored))
    arithmetic.input_roundoff = kScaledInputError * arithmetic.unit_roundoff;
  arithmetic.exact_operations = is_exact(c, how.accumulation);
  arithmetic.folded = how.formula == Formula::folded || how.formula == Formula::one_pass;
  return arithmetic;
}

/// Assumes exact operations on inputs and options that are rounded once each.
Arithmetic arithmetic_of_rounded_inputs(const Case& c) {
  return {.unit_roundoff = 0,
          .tiny = 0,
          .largest = std::numeric_limits<double>::infinity(),
          .input_roundoff = unit_roundoff(c.dtype)};
}

/// The error bounds of a case or of a block of its rows, before they are compared with the values
/// of whole outputs.
struct DerivedBounds {
  NamedTensors<double> values, bound, input_sensitivity;
  /// The sums over the rows, without the allowances that `bound` has for them.
  NamedTensors<any_order_error> sums, sums_of_rounded_inputs;
  /// The sums over the rows of a block as other implementations compute them.
  OtherSums other_sums;
};

/// The rows whose bounds are derived at once, and the outputs that are needed.
struct Extent {
  bool is_block = false;    ///< whether there are more rows, so that sums over rows are partial
  bool all_outputs = true;  ///< or the bounds of sums over rows alone, without input sensitivity
};

/// Derives the bounds of a case or of a block of rows. `c` is the case with the dtype in which it
/// computes.
DerivedBounds derive_bounds(const Case& c, checks::evaluation::EvalInputs inputs,
                            const Derivation& how, const Arithmetic& arithmetic,
                            const Extent& extent = {}) {
  const certify::NotFiniteElements not_finite(
      [](const Case& asked, const checks::evaluation::EvalInputs& finite) {
        return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
      },
      c, inputs);
  replace_not_finite(inputs, c, kReplacements);
  ValuesAndErrors evaluated = evaluate(c, inputs, arithmetic);
  ValuesAndErrors rounded_inputs;
  if (extent.all_outputs) rounded_inputs = evaluate(c, inputs, arithmetic_of_rounded_inputs(c));
  DerivedBounds derived{.values = std::move(evaluated.values),
                        .bound = std::move(evaluated.errors),
                        .input_sensitivity = std::move(rounded_inputs.errors),
                        .sums = std::move(evaluated.sums),
                        .sums_of_rounded_inputs = std::move(rounded_inputs.sums),
                        .other_sums = {}};
  const NamedTensors<double>& values = derived.values;
  if (how.formula == Formula::one_pass && computes_variance(c)) {
    Errors errors = plain_error_bounds(c, inputs, {.one_pass = true}, arithmetic);
    errors.erase("grad_beta");  // a sum of grad_y, which does not depend on the variance
    allow(errors, derived.bound);
  }
  if (extent.all_outputs && is_layer(c) && is_centered(case_operation_name(c)))
    allow_other_statistics(c, inputs, arithmetic, derived.bound);
  if (is_layer(c))
    add_layer_allowances(c, inputs.steps.front(), values, how.accumulation, derived.bound);
  if (is_function(c))
    add_function_allowances(c, inputs.function, values, how.accumulation, how.formula,
                            derived.bound, how.flushes,
                            extent.is_block ? &derived.other_sums : nullptr);
  if (how.cast_order == CastOrder::before_gamma)
    allow_cast_before_gamma(c, inputs, values, how.accumulation, derived.bound);
  if (how.cast_order == CastOrder::stored_statistics)
    allow_stored_statistics(c, inputs, values, how.accumulation, derived.bound);
  for (auto& [name, bound] : derived.bound)
    for (std::size_t i = 0; i < bound.size(); ++i)
      if (not_finite.is_undetermined(name, i) || std::isnan(bound.data()[i]))
        bound.data()[i] = std::numeric_limits<double>::infinity();
  return derived;
}

/// Completes the bounds of a whole case.
Tolerance complete_bounds(const Case& stored, DerivedBounds&& derived, const Derivation& how,
                          const Arithmetic& arithmetic) {
  Tolerance bounds{.bound = std::move(derived.bound),
                   .flushes = how.flushes,
                   .input_sensitivity = std::move(derived.input_sensitivity)};
  if (corpus::is_scaled(stored)) divide_by_scales(stored, derived.values, bounds);
  drop_overflowing_bounds(stored, derived.values, arithmetic, bounds.bound);
  return bounds;
}

/// Returns the factor by which allowances for the terms of a sum grow in the sum.
double allowance_slack(double roundings) {
  return roundings < 0.5 ? 1 + 2 * roundings / (1 - roundings) : 1;
}

/// The bounds of a case whose blocks are appended in ascending order.
class BoundsOfBlocks {
 public:
  BoundsOfBlocks(const Case& c, const certify::RowBlocks& blocks, const Arithmetic& arithmetic,
                 bool only_sums)
      : case_(c),
        blocks_(blocks),
        arithmetic_(arithmetic),
        rounded_inputs_(arithmetic_of_rounded_inputs(c)),
        only_sums_(only_sums) {}

  void append(std::size_t block, DerivedBounds&& part) {
    for (const auto& [name, sum] : part.sums) add_allowances(name, sum, part.bound.at(name));
    add(part.sums, arithmetic_, whole_.sums);
    whole_.other_sums.resize(part.other_sums.size());
    for (std::size_t k = 0; k < part.other_sums.size(); ++k)
      add(part.other_sums[k], arithmetic_, whole_.other_sums[k]);
    add(part.sums_of_rounded_inputs, rounded_inputs_, whole_.sums_of_rounded_inputs);
    if (only_sums_) return;
    NamedTensors<double> compared;
    for (auto& [name, values] : part.values)
      if (has_compared_values(name)) compared.set(name, std::move(values));
    append_rows(block, compared, whole_.values);
    append_rows(block, part.bound, whole_.bound);
    append_rows(block, part.input_sensitivity, whole_.input_sensitivity);
  }

  DerivedBounds finish() {
    const ref::io::StoredTensor& x = *corpus::main_input(case_);
    const std::size_t elements = x.bytes.size() / ref::io::item_size(x.dtype);
    for (const auto& [name, sum] : whole_.sums) {
      Tensor<double> value, bound, input_sensitivity, ignored;
      split(sum, value, bound);
      if (only_sums_)
        input_sensitivity = ref::tensor::full_tensor(ref::tensor::shape_of(value), 0.0);
      else
        split(whole_.sums_of_rounded_inputs.at(name), ignored, input_sensitivity);
      const double terms = static_cast<double>(
          std::max(blocks_.rows(), elements / std::max<std::size_t>(sum.size(), 1)));
      const double roundings = terms * arithmetic_.unit_roundoff;
      // An allowance is a larger error of the terms. In a sum of all rows, it also makes the
      // roundings of the sum larger. If there are that many roundings, `bound` is infinite.
      const double slack = allowance_slack(roundings);
      const Tensor<double>& allowance = allowances_.at(name);
      for (std::size_t i = 0; i < bound.size(); ++i) {
        for (const NamedTensors<any_order_error>& other : whole_.other_sums)
          if (other.contains(name))
            bound.data()[i] =
                bound_of_both(bound.data()[i], sum.data()[i], other.at(name).data()[i]);
        if (allowance.data()[i] > 0) bound.data()[i] += slack * allowance.data()[i];
      }
      whole_.values.set(name, std::move(value));
      whole_.bound.set(name, std::move(bound));
      whole_.input_sensitivity.set(name, std::move(input_sensitivity));
    }
    return std::move(whole_);
  }

 private:
  /// Adds the difference between the bound of a sum with allowances and without them.
  void add_allowances(const std::string& name, const Tensor<any_order_error>& sum,
                      const Tensor<double>& bound) {
    if (!allowances_.contains(name))
      allowances_.set(name, ref::tensor::full_tensor(ref::tensor::shape_of(bound), 0.0));
    double* const allowance = allowances_.at(name).data();
    for (std::size_t i = 0; i < bound.size(); ++i)
      if (bound.data()[i] > sum.data()[i].error)
        allowance[i] += bound.data()[i] - sum.data()[i].error;
  }

  static void add(const NamedTensors<any_order_error>& part, const Arithmetic& arithmetic,
                  NamedTensors<any_order_error>& all) {
    const AnyOrderArithmetic scope(arithmetic);
    for (const auto& [name, terms] : part) {
      if (!all.contains(name)) {
        all.set(name, terms);
        continue;
      }
      any_order_error* const sum = all.at(name).data();
      for (std::size_t i = 0; i < terms.size(); ++i) sum[i] += terms.data()[i];
    }
  }

  void append_rows(std::size_t block, const NamedTensors<double>& part,
                   NamedTensors<double>& whole) const {
    for (const auto& [name, values] : part) {
      if (certify::is_sum_over_rows(name)) continue;
      if (!whole.contains(name)) {
        ref::tensor::Shape shape = ref::tensor::shape_of(values);
        shape[0] = blocks_.rows();
        whole.set(name, ref::tensor::empty_tensor<double>(shape));
      }
      const std::size_t first = blocks_.first_row(block);
      const std::size_t row = values.size() / (blocks_.first_row(block + 1) - first);
      std::copy(values.begin(), values.end(), whole.at(name).data() + first * row);
    }
  }

  /// Whether complete_bounds compares the bounds of an output with its values.
  bool has_compared_values(const std::string& name) const {
    return unit_roundoff(corpus::output_dtype(case_, name)) < arithmetic_.unit_roundoff;
  }

  const Case& case_;
  const certify::RowBlocks& blocks_;
  Arithmetic arithmetic_;
  Arithmetic rounded_inputs_;
  bool only_sums_;
  DerivedBounds whole_ = {};
  NamedTensors<double> allowances_ = {};
};

/// Derives the bounds of the sums over the rows of a norm without evaluating it
/// (certify/norm_sums.hpp). Returns nothing if that is not possible.
std::optional<DerivedBounds> derive_norm_sums(const Case& c, const Derivation& how,
                                              const Arithmetic& arithmetic,
                                              const BlockOptions& options) {
  const bool rounds = corpus::rounds_when_stored(c.dtype, how.accumulation);
  const bool has_own_allowances = (how.formula == Formula::one_pass && computes_variance(c)) ||
                                  (is_function(c) && rounds) ||
                                  (how.cast_order == CastOrder::stored_statistics && rounds);
  if (has_own_allowances || !certify::has_norm_sums(c, arithmetic)) return std::nullopt;
  const auto sums =
      certify::sum_norm_over_blocks(c, certify::RowBlocks(c, certify::kElementsOfNormSums),
                                    {.arithmetic = arithmetic}, options.threads, options.progress);
  if (!sums) return std::nullopt;
  DerivedBounds derived;
  for (const certify::SumsOverRows& sum : sums->sums()) {
    auto value = ref::tensor::empty_tensor<double>({sum.value.size()});
    auto bound = value;
    const double allowance = sum.name == "grad_gamma" && how.cast_order == CastOrder::before_gamma
                                 ? allowance_of_cast_x_hat(c, how.accumulation)
                                 : 0;
    for (std::size_t i = 0; i < sum.value.size(); ++i) {
      value.data()[i] = sum.value[i];
      bound.data()[i] =
          sums->error(sum, i) +
          allowance * sum.magnitude[i] * allowance_slack(sum.terms[i] * arithmetic.unit_roundoff);
    }
    derived.input_sensitivity.set(sum.name, ref::tensor::full_tensor({sum.value.size()}, 0.0));
    derived.values.set(sum.name, std::move(value));
    derived.bound.set(sum.name, std::move(bound));
  }
  return derived;
}

Tolerance derive_in_blocks(const Case& stored, const certify::RowBlocks& blocks,
                           const Derivation& how, const BlockOptions& options) {
  const Arithmetic arithmetic = arithmetic_for(stored, stored, how);
  if (options.only_sums) {
    if (!certify::has_sums_over_rows(stored))
      return {.bound = {}, .flushes = how.flushes, .input_sensitivity = {}};
    if (auto sums = derive_norm_sums(stored, how, arithmetic, options))
      return complete_bounds(stored, std::move(*sums), how, arithmetic);
  }
  BoundsOfBlocks whole(stored, blocks, arithmetic, options.only_sums);
  certify::for_each_block(
      blocks, options.threads, options.progress,
      [&](std::size_t i) {
        const Case block = blocks.block(i);
        return derive_bounds(block, inputs_of(block), how, arithmetic,
                             {.is_block = true, .all_outputs = !options.only_sums});
      },
      [&](std::size_t i, DerivedBounds&& part) { whole.append(i, std::move(part)); });
  return complete_bounds(stored, whole.finish(), how, arithmetic);
}

}  // namespace

Tolerance derive_tolerance(const Case& c, Accumulation accumulation, Formula formula, bool flushes,
                           CastOrder cast_order, const BlockOptions& block_options) {
  const certify::RowBlocks blocks(c);
  if (blocks.count() > 1 || block_options.only_sums)
    return derive_in_blocks(c, blocks, {accumulation, formula, flushes, cast_order}, block_options);
  return derive_tolerance(c, inputs_of(c), accumulation, formula, flushes, cast_order);
}

Tolerance derive_tolerance(const Case& stored, checks::evaluation::EvalInputs inputs,
                           Accumulation accumulation, Formula formula, bool flushes,
                           CastOrder cast_order) {
  const Derivation how{accumulation, formula, flushes, cast_order};
  const Case c = corpus::set_computed_dtype(stored);
  const Arithmetic arithmetic = arithmetic_for(stored, c, how);
  return complete_bounds(stored, derive_bounds(c, std::move(inputs), how, arithmetic), how,
                         arithmetic);
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
