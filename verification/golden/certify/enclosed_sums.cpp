#include "verification/golden/certify/enclosed_sums.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "ref/numeric/running_error.hpp"
#include "verification/checks/evaluation/sequence.hpp"
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

NamedTensors<running_error> enclose_block(const Case& block) {
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

}  // namespace

EnclosedSums enclose_sums_over_rows(const Case& c, const RowBlocks& blocks, int threads,
                                    const Progress& progress) {
  NamedTensors<running_error> sums;
  for_each_block(
      blocks, threads, progress, [&](std::size_t i) { return enclose_block(blocks.block(i)); },
      [&](std::size_t, NamedTensors<running_error>&& part) { add_sums(sums, std::move(part)); });
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
