#include "verification/golden/certify/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "ref/numeric/arb.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/multiprecision_memory.hpp"
#include "ref/numeric/running_error.hpp"
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
using ref::numeric::running_error;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr long kMaxBits = 16384;

/// Whether few digits decide almost every element of a user's case, because its dtype has at most
/// 24: 128 bits, which Arb stores without memory of the heap, and `double` for the second
/// enclosure.
bool needs_few_digits(const Case& c) {
  return c.tier == corpus::Tier::user && ref::io::is_float(c.dtype) &&
         ref::io::item_size(c.dtype) <= 4 && !corpus::is_scaled(c);
}

constexpr long kFewBits = 128, kUsualBits = 192;

long initial_bits(const Case& c) {
  return needs_few_digits(c) ? kFewBits : kUsualBits;
}
/// Returns the precision that follows if `bits` do not suffice. All cases have the same precisions
/// from the usual one on, because that of a tie decides which number it is near to.
long next_bits(long bits) {
  return bits < kUsualBits ? kUsualBits : 2 * bits;
}

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
  std::vector<double> rest_of_scales = {};         ///< what rounding removed from float32 scales
  std::optional<corpus::ScaleBlocks> blocks = {};  ///< if there is one scale per block
  corpus::ScaleLimits limits = {};
  double tensor_scale = 1;  ///< by which the scales of blocks are multiplied
  /// Whether the output is a sum over the rows of several blocks, so that it is rounded only after
  /// the sums of all blocks have been added.
  bool is_partial_sum = false;
};

/// Divides element i of an output by its scale. The quotient is not rounded yet.
ball divide_by_scale(const ball& x, const OutputInProgress& output, std::size_t i) {
  if (output.scaling == corpus::OutputScaling::none) return x;
  if (output.scaling == corpus::OutputScaling::given) return x / ball(output.scales.front());
  // The product is exact, since a scale of e4m3 has 4 digits.
  return x / ball(output.scales[output.blocks->index(i)] * output.tensor_scale);
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
  if (!value) return false;
  if (std::isinf(value->value))
    throw ref::numeric::UsageError(fmt::format(
        "{} at {} is beyond the largest number of {}; expected inputs whose results it can hold",
        output.name, ref::tensor::index_to_string(i, output.shape), ref::io::to_string(dtype)));
  if (std::isnan(value->value)) return false;
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
    if (corpus::has_found_scales(output.scaling))
      output.blocks = corpus::scale_blocks_of_y(c, output.shape);
    output.limits = corpus::scale_limits(c);
    output.tensor_scale = corpus::tensor_scale(c, name);
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

/// Returns the name of element i of an output, such as "y at [2,0]". Row 0 of the output is row
/// `first_row` of the case.
std::string element_name(const OutputInProgress& output, std::size_t i, std::size_t first_row) {
  std::vector<std::size_t> shape = output.shape;
  if (!shape.empty() && first_row > 0) {
    i += output.value.size() / shape[0] * first_row;
    shape[0] += first_row;
  }
  return fmt::format("{} at {}", output.name, ref::tensor::index_to_string(i, shape));
}

/// Rounds every finite element. If an enclosure is too wide to be rounded, returns the
/// name and index of that element.
std::optional<std::string> round_all_elements(const NamedTensors<ball>& results,
                                              std::vector<OutputInProgress>& outputs,
                                              std::size_t first_row, Certificate& certificate) {
  certificate.elements = certificate.ties = 0;
  certificate.widest = std::numeric_limits<long>::min();
  for (OutputInProgress& output : outputs) {
    if (output.is_partial_sum) continue;
    const auto& values = results.at(output.name);
    if (corpus::has_blocks(output.scaling)) {
      const std::vector<ball> elements(values.begin(), values.end());
      const auto& format = float_format_info(*ref::io::float_type(output.dtype));
      auto scales =
          output.scaling == corpus::OutputScaling::blocks
              ? block_scales(elements, *output.blocks, format)
              : tensor_block_scales(elements, *output.blocks, format, output.tensor_scale);
      if (!scales) return corpus::scale_name(output.name);
      output.scales = std::move(*scales);
      certificate.elements += output.scales.size();
    }
    if (output.scaling == corpus::OutputScaling::groups) {
      auto scales =
          group_scales({values.begin(), values.end()}, *output.blocks,
                       float_format_info(*ref::io::float_type(output.dtype)), output.limits);
      if (!scales) return corpus::scale_name(output.name);
      output.scales = std::move(scales->value);
      output.rest_of_scales = std::move(scales->remainder);
      certificate.elements += output.scales.size();
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(output.value[i])) continue;
      if (!try_round_element(divide_by_scale(values.data()[i], output, i), output, i,
                             certificate)) {
        return element_name(output, i, first_row);
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
ball to_ball(const running_error& x) {
  ball result(x.value);
  mag_set_d(arb_radref(result.get()), x.error);
  return result;
}
ball to_ball(const ball& x) {
  return x;
}

/// The second enclosure of each element: by MPFI, or by `double` with running error bounds.
using SecondEnclosure = std::variant<NamedTensors<interval>, NamedTensors<running_error>>;

bool all_are_bounded(const NamedTensors<running_error>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const auto& entry) {
    const auto& [name, values] = entry;
    return std::all_of(values.begin(), values.end(), [](const running_error& x) {
      return std::isfinite(x.value) && std::isfinite(x.error);
    });
  });
}

/// Evaluates in intervals of 50 digits. The case was evaluated in `double` before, so that its
/// inputs are right.
NamedTensors<interval> evaluate_in_intervals(const Case& c, const std::string& path,
                                             const EvalInputs& inputs) {
  try {
    return checks::evaluation::run_operation<interval>(c.options, inputs, c.sequence);
  } catch (const ref::numeric::NotFiniteError& error) {
    throw ref::numeric::UsageError(
        fmt::format("{}: a result cannot be enclosed with 50 digits ({}); expected inputs whose "
                    "intermediate results are smaller",
                    path, sentence(error.violation())));
  }
}

SecondEnclosure evaluate_second_enclosure(const Case& c, const std::string& path,
                                          const EvalInputs& inputs) {
  if (needs_few_digits(c)) {
    auto results = checks::evaluation::run_operation<running_error>(c.options, inputs, c.sequence);
    if (all_are_bounded(results)) return results;
  }
  // An element of an input takes about this memory in the numbers that depend on it.
  constexpr std::size_t kBytesPerElement = 1024;
  std::size_t elements = 0;
  for (const ref::io::StoredTensor& tensor : c.inputs)
    elements += tensor.bytes.size() / ref::io::item_size(tensor.dtype);
  ref::numeric::require_multiprecision_memory(kBytesPerElement * elements);
  return evaluate_in_intervals(c, path, inputs);
}

template <class T>
void check_second_enclosure(const std::string& path, const NamedTensors<T>& second,
                            const NamedTensors<ball>& first,
                            const std::vector<OutputInProgress>& outputs, std::size_t first_row,
                            Certificate& certificate) {
  certificate.second_widest = std::numeric_limits<long>::min();
  for (const OutputInProgress& output : outputs) {
    if (output.is_partial_sum) continue;
    const auto& values = second.at(output.name);
    const auto& balls = first.at(output.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(output.value[i])) continue;
      const ball x = to_ball(values.data()[i]);
      certificate.second_widest = std::max(certificate.second_widest, relative_width_exponent(x));
      if (arb_overlaps(x.get(), balls.data()[i].get()) != 0) continue;
      throw std::runtime_error(
          fmt::format("{}: {}: the second enclosure and that by Arb do not overlap", path,
                      element_name(output, i, first_row)));
    }
  }
}

/// (C1) Checks that every result of an exact case is a number of the dtype and equals the result in
/// `double`.
void check_exact(const Case& c, const std::vector<OutputInProgress>& outputs) {
  EvalInputs inputs = inputs_of(c, case_folder(c));
  replace_not_finite(inputs, c, kReplacements);
  const auto results = checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  for (const OutputInProgress& output : outputs)
    for (std::size_t i = 0; i < output.value.size(); ++i)
      if (output.remainder[i] != 0 || output.value[i] != results.at(output.name).data()[i])
        ref::numeric::contract_failure("certify", case_folder(c),
                                       fmt::format("is not exact in {} at {}", output.name,
                                                   ref::tensor::index_to_string(i, output.shape)),
                                       "a result that the dtype holds", Clause::C1);
}

/// The part of a case that is certified at once: the whole case or a block of its rows.
struct Part {
  const Case& c;
  std::string path;  ///< the folder of the whole case
  std::size_t first_row = 0;
  bool sums_are_partial = false;  ///< whether the part has only some of the rows
  bool parallel_enclosures = false;
};

/// The rounded outputs of a part, and the enclosures of its partial sums.
struct EnclosedPart {
  std::vector<OutputInProgress> outputs;
  NamedTensors<ball> first_sums, second_sums;
  Certificate certificate;
};

/// Returns the enclosures of the partial sums of a part.
template <class T>
NamedTensors<ball> take_partial_sums(const NamedTensors<T>& results,
                                     const std::vector<OutputInProgress>& outputs) {
  NamedTensors<ball> sums;
  for (const OutputInProgress& output : outputs) {
    if (!output.is_partial_sum) continue;
    const auto& values = results.at(output.name);
    auto balls = ref::tensor::empty_tensor<ball>(ref::tensor::shape_of(values));
    for (std::size_t i = 0; i < values.size(); ++i) balls.data()[i] = to_ball(values.data()[i]);
    sums.set(output.name, std::move(balls));
  }
  return sums;
}

NamedTensors<ball> evaluate_in_balls(const Case& c, const EvalInputs& inputs, long bits) {
  const BallPrecision precision(bits);
  return checks::evaluation::run_operation<ball>(c.options, inputs, c.sequence);
}

/// Evaluates with `bits` bits, or with more if an intermediate result is not finite otherwise. Sets
/// `bits` to the number that was used.
NamedTensors<ball> evaluate_with_enough_bits(const Case& c, const EvalInputs& inputs, long& bits) {
  for (;; bits = next_bits(bits)) try {
      return evaluate_in_balls(c, inputs, bits);
    } catch (const ref::numeric::NotFiniteError&) {
      if (bits >= kMaxBits) throw;
    }
}

std::runtime_error undecided(const std::string& path, const std::string& element, long bits) {
  return std::runtime_error(fmt::format("{}: {} is not decided with {} bits", path, element, bits));
}

/// Starts `f` on another thread if `parallel` is set and the system has one. Otherwise f runs when
/// its result is requested.
template <class F>
std::future<std::invoke_result_t<F>> start(bool parallel, const F& f) {
  try {
    if (parallel) return std::async(std::launch::async, f);
  } catch (const std::system_error&) {
  }
  return std::async(std::launch::deferred, f);
}

EnclosedPart enclose(const Part& part) {
  const Case& c = part.c;
  EvalInputs inputs = inputs_of(c, part.path);
  EnclosedPart enclosed;
  std::vector<OutputInProgress>& outputs = enclosed.outputs;
  {
    const NotFiniteElements not_finite(
        [](const Case& asked, const EvalInputs& finite) {
          return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
        },
        c, inputs);
    replace_not_finite(inputs, c, kReplacements);
    const auto results = checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
    outputs = start_outputs(c, results);
    for (OutputInProgress& output : outputs)
      output.is_partial_sum = part.sums_are_partial && is_sum_over_rows(output.name);
    set_not_finite_elements(not_finite, outputs);
  }
  std::future<SecondEnclosure> second_result = start(
      part.parallel_enclosures, [&] { return evaluate_second_enclosure(c, part.path, inputs); });
  Certificate& certificate = enclosed.certificate;
  for (certificate.bits = initial_bits(c);; certificate.bits = next_bits(certificate.bits)) {
    auto first = evaluate_with_enough_bits(c, inputs, certificate.bits);
    const BallPrecision precision(certificate.bits);  // for the quotients by scales
    const auto open = round_all_elements(first, outputs, part.first_row, certificate);
    if (!open) {
      std::visit(
          [&](const auto& second) {
            check_second_enclosure(part.path, second, first, outputs, part.first_row, certificate);
            enclosed.second_sums = take_partial_sums(second, outputs);
          },
          second_result.get());
      enclosed.first_sums = take_partial_sums(first, outputs);
      ref::numeric::check_multiprecision_memory();
      return enclosed;
    }
    if (certificate.bits >= kMaxBits) throw undecided(part.path, *open, certificate.bits);
  }
}

std::vector<StoredTensor> expected_tensors(const Case& c,
                                           const std::vector<OutputInProgress>& outputs) {
  std::vector<StoredTensor> tensors;
  for (const OutputInProgress& output : outputs) {
    tensors.push_back(ref::io::make_tensor(output.name, output.dtype, output.shape, output.value));
    if (output.dtype == DType::int64) continue;
    tensors.push_back(
        ref::io::make_tensor(output.name + "_lo", DType::float64, output.shape, output.remainder));
    if (!corpus::has_found_scales(output.scaling)) continue;
    const std::string name = corpus::scale_name(output.name);
    const auto shape = output.blocks->shape_of_scales();
    tensors.push_back(
        ref::io::make_tensor(name, stored_output_dtype(c, name), shape, output.scales));
    if (output.scaling == corpus::OutputScaling::groups)
      tensors.push_back(
          ref::io::make_tensor(name + "_lo", DType::float64, shape, output.rest_of_scales));
  }
  return tensors;
}

/// Adds the certificate of a part to the certificate of the whole case. The counts are added. The
/// precision and the widths become the larger of the two values.
void add(Certificate& all, const Certificate& part) {
  all.bits = std::max(all.bits, part.bits);
  all.elements += part.elements;
  all.ties += part.ties;
  all.widest = std::max(all.widest, part.widest);
  all.second_widest = std::max(all.second_widest, part.second_widest);
}

/// The expected outputs of a case while its blocks are being certified, in ascending order.
class BlocksInProgress {
 public:
  BlocksInProgress(const Case& c, const RowBlocks& blocks) : case_(c), blocks_(blocks) {}

  void append(std::size_t block, EnclosedPart&& part) {
    std::vector<OutputInProgress> rows;
    for (OutputInProgress& output : part.outputs)
      if (output.is_partial_sum)
        append_sum(std::move(output));
      else
        rows.push_back(std::move(output));
    for (const StoredTensor& tensor : expected_tensors(case_, rows)) append_rows(block, tensor);
    const BallPrecision precision(initial_bits(case_));
    add_sums(first_, std::move(part.first_sums));
    add_sums(second_, std::move(part.second_sums));
    if (block == 0)
      certificate_ = part.certificate;
    else
      add(certificate_, part.certificate);
  }

  Expected finish() {
    round_sums();
    Expected expected{std::move(tensors_), certificate_};
    for (StoredTensor& tensor : expected_tensors(case_, sums_))
      expected.tensors.push_back(std::move(tensor));
    std::ranges::sort(expected.tensors, {}, &StoredTensor::name);
    return expected;
  }

 private:
  /// Notes which elements of a sum are NaN.
  void append_sum(OutputInProgress&& part) {
    const auto found = std::ranges::find(sums_, part.name, &OutputInProgress::name);
    if (found == sums_.end()) {
      part.is_partial_sum = false;
      sums_.push_back(std::move(part));
      return;
    }
    for (std::size_t i = 0; i < part.value.size(); ++i) {
      if (!std::isnan(part.value[i])) continue;
      found->value[i] = found->remainder[i] = part.value[i];
    }
  }

  void append_rows(std::size_t block, const StoredTensor& part) {
    auto found = std::ranges::find(tensors_, part.name, &StoredTensor::name);
    if (found == tensors_.end()) {
      StoredTensor whole{part.name, part.dtype, part.shape, {}};
      whole.shape[0] = blocks_.rows();
      whole.bytes.resize(ref::io::byte_size(whole.dtype, whole.shape).value());
      found = tensors_.insert(tensors_.end(), std::move(whole));
    }
    const std::size_t row = found->bytes.size() / blocks_.rows();
    std::ranges::copy(part.bytes, found->bytes.begin() +
                                      static_cast<std::ptrdiff_t>(blocks_.first_row(block) * row));
  }

  void round_sums() {
    if (sums_.empty()) return;
    const std::string path = case_folder(case_);
    Certificate of_sums;
    for (of_sums.bits = initial_bits(case_);; of_sums.bits = next_bits(of_sums.bits)) {
      const BallPrecision precision(of_sums.bits);
      if (of_sums.bits > initial_bits(case_)) first_ = evaluate_sums(of_sums.bits);
      const auto open = round_all_elements(first_, sums_, 0, of_sums);
      if (!open) break;
      if (of_sums.bits >= kMaxBits) throw undecided(path, *open, of_sums.bits);
    }
    check_second_enclosure(path, second_, first_, sums_, 0, of_sums);
    add(certificate_, of_sums);
  }

  /// Encloses the sums with more bits than the blocks needed.
  NamedTensors<ball> evaluate_sums(long bits) const {
    const BallPrecision precision(bits);
    NamedTensors<ball> sums;
    for (std::size_t i = 0; i < blocks_.count(); ++i) {
      const Case block = blocks_.block(i);
      EvalInputs inputs = inputs_of(block, case_folder(case_));
      replace_not_finite(inputs, block, kReplacements);
      auto results = evaluate_in_balls(block, inputs, bits);
      NamedTensors<ball> part;
      for (const OutputInProgress& sum : sums_) part.set(sum.name, std::move(results.at(sum.name)));
      add_sums(sums, std::move(part));
    }
    return sums;
  }

  const Case& case_;
  const RowBlocks& blocks_;
  std::vector<StoredTensor> tensors_ = {};
  std::vector<OutputInProgress> sums_ = {};
  NamedTensors<ball> first_ = {}, second_ = {};
  Certificate certificate_ = {};
};

}  // namespace

Expected certify(const Case& c, bool parallel_enclosures) {
  EnclosedPart enclosed =
      enclose({.c = c, .path = case_folder(c), .parallel_enclosures = parallel_enclosures});
  if (c.exact) check_exact(c, enclosed.outputs);
  Expected expected{expected_tensors(c, enclosed.outputs), enclosed.certificate};
  std::ranges::sort(expected.tensors, {}, &StoredTensor::name);
  return expected;
}

Expected certify_in_blocks(const Case& c, const RowBlocks& blocks, int threads,
                           const Progress& progress) {
  if (blocks.count() == 1 || c.exact) return certify(c, threads > 1);
  const std::string path = case_folder(c);
  BlocksInProgress whole(c, blocks);
  for_each_block(
      blocks, threads, progress,
      [&](std::size_t i) {
        const Case block = blocks.block(i);
        return enclose(
            {.c = block, .path = path, .first_row = blocks.first_row(i), .sums_are_partial = true});
      },
      [&](std::size_t i, EnclosedPart&& part) { whole.append(i, std::move(part)); });
  return whole.finish();
}

}  // namespace normproof::verification::golden::certify
