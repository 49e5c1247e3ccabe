#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"

/// The rule that chooses a learning rate for each norm from validation results
/// (docs/guide/study_language.md).
namespace normproof::verification::studies::language {

/// The number of seeds that are used to choose a learning rate: the seeds 1, 2, and so on.
/// A model is trained and validated with each of these seeds at each rate of study_rates().
inline constexpr std::uint64_t kRateSelectionSeeds = 2;

struct RateLoss {
  std::string rate;
  /// The number of training runs that have a result, and the number of training runs that diverged.
  /// Only the first kRateSelectionSeeds seeds count.
  std::size_t runs = 0, diverged = 0;
  std::optional<double> loss = {};  ///< mean validation loss over these seeds, if none diverged
};

/// Returns the validation losses of a norm at each learning rate, in the order of study_rates().
std::vector<RateLoss> collect_rate_losses(const Results& results, const Condition& condition,
                                          const std::string& norm);

/// Returns the learning rate that is chosen for a norm: the rate with the lowest validation loss
/// after the last epoch, averaged over the first kRateSelectionSeeds seeds. Rates at which a seed
/// diverged are excluded. If two rates have the same loss, the lower rate is chosen. If all rates
/// are excluded, the lowest rate is chosen. Returns nothing if a required training run has no
/// result yet.
std::optional<std::string> chosen_rate(const Results& results, const Condition& condition,
                                       const std::string& norm);

}  // namespace normproof::verification::studies::language
