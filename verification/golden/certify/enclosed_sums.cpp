#include "verification/golden/certify/enclosed_sums.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ref/numeric/running_error.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/norm_sums.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/certify/not_finite_elements.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {
namespace {

using checks::evaluation::EvalInputs;
using ref::io::DType;
using ref::numeric::running_error;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

/// The arithmetic of the sums in `double` whose order is known.
constexpr SumArithmetic kDoubleInOrder{
    .arithmetic = ref::numeric::arithmetic_of_type(ref::numeric::FloatType::float64),
    .any_order = false};

NamedTensors<running_error> evaluate_block(const Case& block) {
  EvalInputs inputs = recipes::inputs_of(block);
  const NotFiniteElements not_finite(
      [](const Case& asked, const EvalInputs& finite) {
        return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
      },
      block, inputs);
  replace_not_finite(inputs, block, kReplacements);
  NamedTensors<running_error> sums;
  for (auto& [name, values] :
       checks::evaluation::run_operation<running_error>(block.options, inputs, block.sequence)) {
    if (!is_sum_over_rows(name)) continue;
    std::vector<double> marked(values.size(), 0);
    not_finite.set(name, marked);
    for (std::size_t i = 0; i < marked.size(); ++i)
      if (!std::isfinite(marked[i])) values.data()[i] = running_error(marked[i]);
    sums.set(name, std::move(values));
  }
  return sums;
}

/// Encloses the sums by the evaluation of the operation on each block.
NamedTensors<running_error> evaluate_sums(const RowBlocks& blocks, int threads,
                                          const Progress& progress) {
  NamedTensors<running_error> sums;
  for_each_block(
      blocks, threads, progress, [&](std::size_t i) { return evaluate_block(blocks.block(i)); },
      [&](std::size_t, NamedTensors<running_error>&& part) { add_sums(sums, std::move(part)); });
  return sums;
}

/// Returns the sums of a norm of rows; nothing if a block has none (sum_norm_over_rows).
std::optional<NamedTensors<running_error>> add_norm_sums(const Case& c, const RowBlocks& blocks,
                                                         int threads, const Progress& progress) {
  const auto sums = sum_norm_over_blocks(c, blocks, kDoubleInOrder, threads, progress);
  if (!sums) return std::nullopt;
  NamedTensors<running_error> enclosed;
  for (const SumsOverRows& sum : sums->sums()) {
    auto elements = ref::tensor::empty_tensor<running_error>({sum.value.size()});
    for (std::size_t i = 0; i < sum.value.size(); ++i)
      elements.data()[i] = running_error(sum.value[i], sums->error(sum, i));
    enclosed.set(sum.name, std::move(elements));
  }
  return enclosed;
}

NamedTensors<running_error> enclose_sums(const Case& c, const RowBlocks& blocks, int threads,
                                         const Progress& progress) {
  if (!has_sums_over_rows(c)) return {};
  if (has_norm_sums(c, kDoubleInOrder.arithmetic))
    if (auto sums = add_norm_sums(c, blocks, threads, progress)) return std::move(*sums);
  // A block of these rows may be too large for the evaluation.
  const RowBlocks small(c);
  return evaluate_sums(small.count() > blocks.count() ? small : blocks, threads, progress);
}

}  // namespace

EnclosedSums enclose_sums_over_rows(const Case& c, const RowBlocks& blocks, int threads,
                                    const Progress& progress) {
  const NamedTensors<running_error> sums = enclose_sums(c, blocks, threads, progress);
  EnclosedSums enclosed;
  for (const auto& [name, sum] : sums) {
    const DType dtype = corpus::stored_output_dtype(c, name);
    const std::vector<std::size_t> shape = ref::tensor::shape_of(sum);
    std::vector<double> value, remainder;
    Tensor<double> radius = ref::tensor::empty_tensor<double>(shape);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const double whole = sum.data()[i].value;
      // An infinite result of a finite sum is out of range, and NaN is no number of the enclosure.
      const bool is_enclosed = std::isfinite(whole) && std::isfinite(sum.data()[i].error);
      const double rounded = is_enclosed
                                 ? ref::numeric::round_to(corpus::storage_format(dtype), whole)
                                 : std::numeric_limits<double>::quiet_NaN();
      value.push_back(std::isfinite(rounded) ? rounded + 0.0
                                             : std::numeric_limits<double>::quiet_NaN());
      remainder.push_back(std::isnan(value.back()) ? value.back() : whole - value.back());
      radius.data()[i] = sum.data()[i].error;
    }
    enclosed.tensors.push_back(ref::io::make_tensor(name, dtype, shape, value));
    enclosed.tensors.push_back(
        ref::io::make_tensor(name + "_lo", DType::float64, shape, remainder));
    enclosed.radius.set(name, std::move(radius));
  }
  return enclosed;
}

}  // namespace normproof::verification::golden::certify
