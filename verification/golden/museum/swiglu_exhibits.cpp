#include <algorithm>
#include <cmath>

#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

using mutations::MutationOperator;

/// An absent limit is read as 0, so that x is limited to min(x, 0), and the gate to 0.
std::vector<StoredTensor> run_with_limit_of_zero(const Case& c, const KernelEnvironment&) {
  KernelCase work(c);
  const auto& options =
      std::get<ref::model::SwigluOptions>(std::get<ref::model::FunctionOptions>(c.options));
  if (options.limit) return work.answer();
  const Values& x = work.in("x");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double limited = std::min(x[i], 0.0);
    work.out("y")[i] = limited / (1 + std::exp(-options.alpha * limited)) * options.beta;
  }
  return work.answer();
}

}  // namespace

std::vector<Exhibit> swiglu_exhibits() {
  return {
      {"limit_lost_in_fusion",
       "sgl-project/sglang#40438",
       "a fused kernel without a limit is chosen whether or not the model has one",
       "the activation of the model's configuration",
       "swiglu",
       {},
       mutate("limit of x", MutationOperator::drop)},
      {"limit_of_the_gate_lost",
       "huggingface/transformers#40197",
       "the limit of the model is not passed to the kernel",
       "a model with low-precision weights",
       "swiglu",
       {},
       mutate("limit of gate", MutationOperator::drop)},
      {"absent_limit_is_zero",
       "microsoft/onnxruntime#27220",
       "the default of an absent limit is 0 instead of infinity",
       "a model without a limit",
       "swiglu",
       {},
       run_with_limit_of_zero},
      {"limit_on_both_sides",
       "anthony-chaudhary/fak#4837",
       "the operand of the activation is limited from below too",
       "elements below the limit",
       "swiglu",
       {},
       mutate("limit of x", MutationOperator::insert)},
      {"beta_lost",
       "sgl-project/sglang#39939",
       "beta is 0 by default where the model with this alpha means 1",
       "a model that sets alpha without beta",
       "swiglu",
       {},
       mutate("beta of the gate", MutationOperator::drop)},
      {"alpha_ignored", "vllm-project/vllm-ascend#11916",
       "alpha reaches the kernel for int8 alone, and is ignored for bfloat16", kUnknownGap,
       "swiglu", DType::bfloat16, mutate("alpha of the sigmoid", MutationOperator::drop)},
      {"halves_read_as_pairs",
       "ROCm/ATOM#1410",
       "a kernel for even and odd columns receives the operands as halves",
       "a test of the order of the rows",
       "swiglu",
       {},
       mutate("columns of a packed operand", MutationOperator::other)},
  };
}

}  // namespace normproof::verification::golden::museum
