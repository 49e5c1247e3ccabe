#include "verification/studies/language/choice.hpp"

namespace normproof::verification::studies::language {

std::vector<RateLoss> collect_rate_losses(const Results& results, const Condition& condition,
                                          const std::string& norm) {
  std::vector<RateLoss> losses;
  for (const std::string& rate : study_rates()) {
    RateLoss own{rate};
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= kRateSelectionSeeds; ++seed) {
      const auto found =
          results.find(cell_name(cell_of(condition, norm, rate, seed, RunPurpose::validation)));
      if (found == results.end()) continue;
      ++own.runs;
      const auto loss = found->second.result.last_validation_loss();
      if (loss)
        sum += *loss;
      else
        ++own.diverged;
    }
    if (own.runs == kRateSelectionSeeds && own.diverged == 0) own.loss = sum / kRateSelectionSeeds;
    losses.push_back(std::move(own));
  }
  return losses;
}

std::optional<std::string> chosen_rate(const Results& results, const Condition& condition,
                                       const std::string& norm) {
  const auto losses = collect_rate_losses(results, condition, norm);
  const RateLoss* best = nullptr;
  for (const RateLoss& own : losses) {
    if (own.runs < kRateSelectionSeeds) return std::nullopt;
    if (own.loss && (best == nullptr || *own.loss < *best->loss)) best = &own;
  }
  return best == nullptr ? study_rates().front() : best->rate;
}

}  // namespace normproof::verification::studies::language
