#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"

/// The rule that chooses a learning rate, the same for every norm (docs/guide/study_language.md).
namespace normproof::verification::studies::language {

/// The number of seeds, 1, 2, ..., that decide the choice. They are validated at every rate of
/// study_rates().
inline constexpr std::uint64_t kDecidingSeeds = 2;

struct RateLoss {
  std::string rate;
  std::size_t runs = 0, diverged = 0;  ///< numbers of deciding seeds
  std::optional<double> loss = {};  ///< mean validation loss of these seeds, if all stayed finite
};

/// Returns the losses at each rate, in the order of study_rates().
std::vector<RateLoss> rate_losses(const Results& results, const Condition& condition,
                                  const std::string& norm);

/// Returns the rate with the lowest mean validation loss after the last epoch, over the deciding
/// seeds. A rate at which a seed diverged is not chosen; of equal rates the lower one is; if every
/// rate is excluded, the lowest is. Returns nothing while one of these cells is missing.
std::optional<std::string> chosen_rate(const Results& results, const Condition& condition,
                                       const std::string& norm);

}  // namespace normproof::verification::studies::language
