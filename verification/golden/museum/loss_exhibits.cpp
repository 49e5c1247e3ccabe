#include <variant>
#include <vector>

#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

/// Answers a case without z-loss as if it had one.
std::vector<StoredTensor> add_a_z_loss(const Case& c, const KernelEnvironment&) {
  Case asked = c;
  auto& loss = std::get<ref::model::CrossEntropyOptions>(
      std::get<ref::model::FunctionOptions>(asked.options));
  if (loss.z_loss == 0) loss.z_loss = 1e-4;
  return run_with_mutation(asked, {});
}

}  // namespace

std::vector<Exhibit> loss_exhibits() {
  return {
      {"z_loss_that_is_off", "allenai/OLMo-core#702",
       "a z-loss of 0.0001 is added to the loss although none was asked for",
       "a loss without a z-loss", "cross_entropy", std::nullopt, add_a_z_loss},
      {"logits_times_tanh", "unslothai/unsloth-zoo#593",
       "the logits are multiplied by the tanh of their quotient by the cap, so that large ones "
       "keep "
       "their size",
       "logits beyond the cap", "cross_entropy", std::nullopt,
       mutate("soft cap", mutations::MutationOperator::square)},
      {"cap_left_out", "apple/ml-cross-entropy#48", "the cap on the logits is never applied",
       "logits beyond the cap", "cross_entropy", std::nullopt,
       mutate("soft cap", mutations::MutationOperator::drop)},
  };
}

}  // namespace normproof::verification::golden::museum
