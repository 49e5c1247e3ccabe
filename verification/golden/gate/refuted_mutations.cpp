#include "verification/golden/gate/refuted_mutations.hpp"

#include <algorithm>

namespace normproof::verification::golden::gate {

void RefutedMutations::add(const mutations::Mutation& mutation, FailedPasses failed,
                           std::size_t case_number) {
  std::vector<std::size_t>& numbers = cases_[{mutation.site, mutation.op, failed}];
  const auto at = std::ranges::lower_bound(numbers, case_number);
  if (at != numbers.end() && *at == case_number) return;
  numbers.insert(at, case_number);
  if (numbers.size() > kRequired) numbers.pop_back();
}

void RefutedMutations::confirm(const mutations::Mutation& mutation, std::size_t case_number) {
  const auto [entry, is_new] = confirmed_.try_emplace({mutation.site, mutation.op}, case_number);
  entry->second = std::min(entry->second, case_number);
}

bool RefutedMutations::has(const mutations::Mutation& mutation, FailedPasses failed,
                           std::size_t case_number) const {
  const auto confirmed = confirmed_.find({mutation.site, mutation.op});
  if (confirmed != confirmed_.end() && confirmed->second < case_number) return false;
  const auto entry = cases_.find({mutation.site, mutation.op, failed});
  return entry != cases_.end() && entry->second.size() == kRequired &&
         entry->second.back() < case_number;
}

}  // namespace normproof::verification::golden::gate
