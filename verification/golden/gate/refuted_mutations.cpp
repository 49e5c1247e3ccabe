#include "verification/golden/gate/refuted_mutations.hpp"

#include <algorithm>

namespace normproof::verification::golden::gate {

void RefutedMutations::add(const mutations::Mutation& mutation, FailedPasses failed,
                           std::size_t case_number) {
  const auto [entry, is_new] =
      refuted_.try_emplace({mutation.site, mutation.op, failed}, case_number);
  entry->second = std::min(entry->second, case_number);
}

void RefutedMutations::confirm(const mutations::Mutation& mutation, std::size_t case_number) {
  const auto [entry, is_new] = confirmed_.try_emplace({mutation.site, mutation.op}, case_number);
  entry->second = std::min(entry->second, case_number);
}

bool RefutedMutations::has(const mutations::Mutation& mutation, FailedPasses failed,
                           std::size_t case_number) const {
  const auto confirmed = confirmed_.find({mutation.site, mutation.op});
  if (confirmed != confirmed_.end() && confirmed->second < case_number) return false;
  const auto refuted = refuted_.find({mutation.site, mutation.op, failed});
  return refuted != refuted_.end() && refuted->second < case_number;
}

void RefutedMutations::forget_from(std::size_t case_number) {
  const auto is_forgotten = [&](const auto& entry) { return entry.second >= case_number; };
  std::erase_if(refuted_, is_forgotten);
  std::erase_if(confirmed_, is_forgotten);
}

void SearchHistory::forget_from(std::size_t case_number) {
  for (auto& [operation, refuted] : refuted_) refuted.forget_from(case_number);
}

}  // namespace normproof::verification::golden::gate
