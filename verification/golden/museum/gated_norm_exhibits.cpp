#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

namespace model = ref::model;
using mutations::MutationOperator;

/// Runs the plain implementation with other options.
template <class Change>
Kernel with_other_options(Change change) {
  return [change](const Case& c, const KernelEnvironment&) {
    Case other = c;
    change(std::get<model::GatedRMSNormOptions>(std::get<model::FunctionOptions>(other.options)));
    return run_with_mutation(other, {});
  };
}

}  // namespace

std::vector<Exhibit> gated_norm_exhibits() {
  constexpr const char* kOp = "gated_rms_norm";
  return {
      {"groups_not_passed", "state-spaces/mamba#910",
       "a block makes its norm without the width of a group: one mean of squares for all features",
       "more than one group", kOp, std::nullopt,
       with_other_options([](model::GatedRMSNormOptions& o) { o.groups = 1; })},
      {"groups_not_in_the_backward", "state-spaces/mamba#547",
       "the backward of the norm takes the whole row for a group, and gradients explode",
       "the gradient with more than one group", kOp, std::nullopt,
       mutate("features of a group in the backward", MutationOperator::whole_row)},
      {"output_again_without_gate", "fla-org/flash-linear-attention#1071",
       "the backward computes y again to save memory, and forgets the gate",
       "the recomputed output", kOp, std::nullopt,
       mutate("a(gate) behind the norm", MutationOperator::drop)},
      {"activation_ignored", "vllm-project/vllm#40245",
       "the path without a kernel computes silu, whatever activation the option names",
       "sigmoid on that path", kOp, std::nullopt,
       with_other_options(
           [](model::GatedRMSNormOptions& o) { o.gate_activation = model::GateActivation::silu; })},
  };
}

}  // namespace normproof::verification::golden::museum
