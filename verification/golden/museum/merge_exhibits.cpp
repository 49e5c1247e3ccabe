#include <cmath>
#include <limits>

#include "ref/model/attention_states.hpp"
#include "ref/model/operation.hpp"
#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

using mutations::Mutation;
using mutations::MutationOperator;

namespace {

Kernel merge_with_mutation(const Mutation& mutation) {
  return [mutation](const Case& c, const KernelEnvironment&) {
    return run_with_mutation(c, mutation);
  };
}

/// Makes y and log_sum_exp NaN for queries whose splits are all empty: the exponential of -inf -
/// -inf is NaN, and so is the quotient of two sums of such exponentials.
std::vector<StoredTensor> merge_empty_splits_to_nan(const Case& c, const KernelEnvironment&) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<StoredTensor> tensors = run_with_mutation(c, {});
  std::vector<double> merged = ref::io::widen(*corpus::find(tensors, "log_sum_exp"));
  for (StoredTensor& tensor : tensors) {
    if (tensor.name != "y" && tensor.name != ref::model::kStateLogarithms) continue;
    std::vector<double> values = ref::io::widen(tensor);
    const std::size_t width = values.size() / merged.size();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isinf(merged[i / width])) values[i] = kNaN;
    tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape, values);
  }
  return tensors;
}

/// Takes the logarithms for natural ones, whatever their base is.
std::vector<StoredTensor> merge_as_natural(const Case& c, const KernelEnvironment&) {
  Case natural = c;
  ref::model::set_option(natural.options, "log_sum_exp_base", "e");
  return run_with_mutation(natural, {});
}

}  // namespace

std::vector<Exhibit> merge_exhibits() {
  constexpr const char* kMerge = "merge_attention_states";
  return {
      {"empty_states_give_nan", "flashinfer-ai/flashinfer#4051",
       "if all states of a query are empty, y and the merged logarithm are NaN",
       "states that are all empty", kMerge, std::nullopt, merge_empty_splits_to_nan},
      {"empty_prefix_and_suffix", "vllm-project/vllm#39148",
       "one of two kernels computes exp(-inf - -inf) if prefix and suffix are both empty",
       "rows in which both logarithms are -inf", kMerge, std::nullopt, merge_empty_splits_to_nan},
      {"empty_chunk_has_weight", "vllm-project/vllm#49294",
       "a chunk without keys has a finite logarithm, and its undefined output is merged",
       "batches with a chunk that is empty for some rows", kMerge, std::nullopt,
       merge_with_mutation({"empty split", MutationOperator::ignore_mask})},
      {"plus_infinity_without_keys", "Dao-AILab/flash-attention#978",
       "the logarithm of a query without keys is +inf, and its definition gives -inf", kUnknownGap,
       kMerge, std::nullopt,
       merge_with_mutation({"log_sum_exp of a query without a split", MutationOperator::negate})},
      {"powers_of_two_as_natural", "sgl-project/sglang#35045",
       "logarithms to base 2 go to a merge that takes them for natural ones",
       "a comparison with attention over all keys at once", kMerge, std::nullopt, merge_as_natural},
      {"merge_without_a_maximum", "SHI-Labs/NATTEN#202",
       "the exponentials of the logarithms themselves are added, and overflow", "large logarithms",
       kMerge, std::nullopt, merge_with_mutation({"largest logarithm", MutationOperator::drop})},
      {"fixed_shift_of_the_splits", "pytorch/executorch#22133",
       "every split subtracts one fixed number in place of its maximum, and large scores overflow",
       "large logits", kMerge, std::nullopt,
       merge_with_mutation({"largest logarithm", MutationOperator::drop})},
      {"backward_of_one_split", "SHI-Labs/NATTEN#299",
       "the backward uses the logarithm of each split alone, so that its weight is 1",
       "gradients of the merge", kMerge, std::nullopt,
       merge_with_mutation({"weight in grad_o", MutationOperator::drop})},
  };
}

}  // namespace normproof::verification::golden::museum
