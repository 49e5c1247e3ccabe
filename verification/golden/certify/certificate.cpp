#include "verification/golden/certify/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "ref/numeric/arb.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/block_scales.hpp"
#include "verification/golden/certify/nearest.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/certify/not_finite_elements.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {

using checks::evaluation::EvalInputs;
using corpus::case_folder;
using corpus::stored_output_dtype;
using recipes::inputs_of;
using ref::io::DType;
using ref::numeric::ball;
using ref::numeric::BallPrecision;
using ref::numeric::Clause;
using ref::numeric::interval;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr long kInitialBits = 192;
constexpr long kMaxBits = 16384;

/// Returns the relative width of an enclosure as an exponent: the smallest e such that 2^e is at
/// least radius / |midpoint|. If the midpoint is 0 or nearly 0, the radius itself is used instead.
/// If the radius is 0, returns the smallest `long`.
long relative_width_exponent(const ball& x) {
  mag_t radius;
  mag_init_set(radius, arb_radref(x.get()));
  if (mag_is_zero(radius)) {
    mag_clear(radius);
    return std::numeric_limits<long>::min();
  }
  long exponent = fmpz_get_si(MAG_EXPREF(radius));
  if (arf_cmpabs_2exp_si(arb_midref(x.get()), -1100) > 0)
    exponent -= fmpz_get_si(ARF_EXPREF(arb_midref(x.get()))) - 1;
  mag_clear(radius);
  return exponent;
}

/// An output of a case while the rounded values of its elements are being determined.
struct OutputInProgress {
  std::string name;
  DType dtype = DType::float64;
  std::vector<std::size_t> shape;
  std::vector<double> value, remainder;
  corpus::OutputScaling scaling = corpus::OutputScaling::none;
  /// The scale of the whole output, or one scale per block.
  std::vector<double> scales = {};
};

/// Divides element i of an output by its scale. The quotient is not rounded yet.
ball divide_by_scale(const ball& x, const OutputInProgress& output, std::size_t i) {
  if (output.scaling == corpus::OutputScaling::none) return x;
  if (output.scaling == corpus::OutputScaling::given) return x / ball(output.scales.front());
  return x / ball(output.scales[corpus::block_index(i, output.shape.back())]);
}

/// Tries to round x. If every point of the enclosure rounds to the same number, stores that number
/// and the remainder as element i of the output and returns true.
bool try_round_element(const ball& x, OutputInProgress& output, std::size_t i,
                       Certificate& certificate) {
  const DType dtype = output.dtype == DType::int64 ? DType::float64 : output.dtype;
  const std::optional<NearestNumber> value =
      nearest(x, dtype,
              output.scaling == corpus::OutputScaling::none ? ref::numeric::Overflow::special
                                                            : ref::numeric::Overflow::saturate);
  if (!value || !std::isfinite(value->value)) return false;
  const std::optional<NearestNumber> remainder = nearest(x - ball(value->value), DType::float64);
  if (!remainder) return false;
  output.value[i] = value->value;
  output.remainder[i] = remainder->value;
  certificate.ties += value->tie || remainder->tie ? 1 : 0;
  return true;
}

/// Starts the outputs of a case. All elements are 0.
std::vector<OutputInProgress> start_outputs(const Case& c, const NamedTensors<double>& results) {
  std::vector<OutputInProgress> outputs;
  for (const auto& [name, values] : results) {
    OutputInProgress output{
        name, stored_output_dtype(c, name), ref::tensor::shape_of(values), {}, {}};
    output.scaling = corpus::output_scaling(c, name);
    if (output.scaling == corpus::OutputScaling::given)
      output.scales = ref::io::widen(*corpus::find(c.inputs, corpus::scale_name(name)));
    output.value.assign(values.size(), 0);
    output.remainder = output.value;
    outputs.push_back(std::move(output));
  }
  return outputs;
}

/// Sets the elements that are infinite or NaN. The remainder of NaN is NaN.
void set_not_finite_elements(const NotFiniteElements& not_finite,
                             std::vector<OutputInProgress>& outputs) {
  for (OutputInProgress& output : outputs) {
    not_finite.set(output.name, output.value);
    for (std::size_t i = 0; i < output.value.size(); ++i)
      if (std::isnan(output.value[i])) output.remainder[i] = output.value[i];
  }
}

/// Rounds every finite element. If an enclosure is too wide to be rounded, returns the
/// name and index of that element.
std::optional<std::string> round_all_elements(const NamedTensors<ball>& results,
                                              std::vector<OutputInProgress>& outputs,
                                              Certificate& certificate) {
  certificate.elements = certificate.ties = 0;
  certificate.widest = std::numeric_limits<long>::min();
  for (OutputInProgress& output : outputs) {
    const auto& values = results.at(output.name);
    if (output.scaling == corpus::OutputScaling::blocks) {
      auto scales = block_scales({values.begin(), values.end()}, output.shape.back(),
                                 float_format_info(*ref::io::float_type(output.dtype)));
      if (!scales) return corpus::scale_name(output.name);
      output.scales = std::move(*scales);
      certificate.elements += output.scales.size();
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(output.value[i])) continue;
      if (!try_round_element(divide_by_scale(values.data()[i], output, i), output, i,
                             certificate)) {
        return fmt::format("{} at {}", output.name, ref::tensor::index_to_string(i, output.shape));
      }
      certificate.widest = std::max(certificate.widest, relative_width_exponent(values.data()[i]));
      ++certificate.elements;
    }
  }
  return std::nullopt;
}

ball to_ball(const interval& x) {
  ball result;
  arb_set_interval_mpfr(result.get(), &x.backend().data()->left, &x.backend().data()->right, 256);
  return result;
}

void check_second_enclosure(const Case& c, const NamedTensors<interval>& second,
                            const NamedTensors<ball>& first,
                            const std::vector<OutputInProgress>& outputs,
                            Certificate& certificate) {
  certificate.second_widest = std::numeric_limits<long>::min();
  for (const OutputInProgress& output : outputs) {
    const auto& values = second.at(output.name);
    const auto& balls = first.at(output.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(output.value[i])) continue;
      const ball x = to_ball(values.data()[i]);
      certificate.second_widest = std::max(certificate.second_widest, relative_width_exponent(x));
      if (arb_overlaps(x.get(), balls.data()[i].get()) != 0) continue;
      throw std::runtime_error(
          fmt::format("{}: {} at {}: the enclosures by MPFI and by Arb do not overlap",
                      case_folder(c), output.name, ref::tensor::index_to_string(i, output.shape)));
    }
  }
}

/// (C1) Checks that every result of an exact case is a number of the dtype and equals the result in
/// `double`.
void check_exact(const Case& c, const std::vector<OutputInProgress>& outputs,
                 const NamedTensors<double>& results) {
  for (const OutputInProgress& output : outputs)
    for (std::size_t i = 0; i < output.value.size(); ++i)
      if (output.remainder[i] != 0 || output.value[i] != results.at(output.name).data()[i])
        ref::numeric::contract_failure("certify", case_folder(c),
                                       fmt::format("is not exact in {} at {}", output.name,
                                                   ref::tensor::index_to_string(i, output.shape)),
                                       "a result that the dtype holds", Clause::C1);
}

}  // namespace

Expected certify(const Case& c, bool parallel_enclosures) {
  const EvalInputs original = inputs_of(c, case_folder(c));
  EvalInputs inputs = original;
  replace_not_finite(inputs, c, kReplacements);
  const auto results = checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  std::vector<OutputInProgress> outputs = start_outputs(c, results);
  const NotFiniteElements not_finite(
      [](const Case& asked, const EvalInputs& finite) {
        return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
      },
      c, original);
  set_not_finite_elements(not_finite, outputs);
  std::future<NamedTensors<interval>> second = std::async(
      parallel_enclosures ? std::launch::async : std::launch::deferred,
      [&] { return checks::evaluation::run_operation<interval>(c.options, inputs, c.sequence); });
  Expected expected;
  Certificate& certificate = expected.certificate;
  for (certificate.bits = kInitialBits;; certificate.bits *= 2) {
    const BallPrecision precision(certificate.bits);
    const auto first = checks::evaluation::run_operation<ball>(c.options, inputs, c.sequence);
    const auto open = round_all_elements(first, outputs, certificate);
    if (!open) {
      check_second_enclosure(c, second.get(), first, outputs, certificate);
      break;
    }
    if (certificate.bits >= kMaxBits)
      throw std::runtime_error(fmt::format("{}: {} is not decided with {} bits", case_folder(c),
                                           *open, certificate.bits));
  }
  if (c.exact) check_exact(c, outputs, results);
  for (const OutputInProgress& output : outputs) {
    expected.tensors.push_back(
        ref::io::make_tensor(output.name, output.dtype, output.shape, output.value));
    if (output.dtype == DType::int64) continue;
    expected.tensors.push_back(
        ref::io::make_tensor(output.name + "_lo", DType::float64, output.shape, output.remainder));
    if (output.scaling == corpus::OutputScaling::blocks) {
      const std::string name = corpus::scale_name(output.name);
      expected.tensors.push_back(ref::io::make_tensor(name, stored_output_dtype(c, name),
                                                      corpus::block_scales_shape(output.shape),
                                                      output.scales));
    }
  }
  std::ranges::sort(expected.tensors, {}, &StoredTensor::name);
  return expected;
}

}  // namespace normproof::verification::golden::certify
