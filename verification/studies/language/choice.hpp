#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"

/// The rule by which a learning rate is chosen, the same for every norm (docs/guide/study_language.md).
namespace normproof::verification::studies::language {

/// The seeds 1, 2, ... that choose: they are validated at every rate of study_rates().
inline constexpr std::uint64_t kChoosingSeeds = 2;

struct RateLoss {
  std::string rate;
  std::size_t runs = 0, diverged = 0;  ///< of the seeds that choose
  std::optional<double> loss = {};     ///< their mean validation loss, where all stayed finite
};

/// What each rate comes to, in the order of study_rates().
std::vector<RateLoss> rate_losses(const Results& results, const Condition& condition,
                                  const std::string& norm);

/// The rate of the lowest mean validation loss after the last epoch, over the seeds that choose;
/// a rate at which one of them diverged is not chosen, the lower of two equal ones is, and the
/// lowest of all where none is left. Nothing while one of these cells is missing.
std::optional<std::string> chosen_rate(const Results& results, const Condition& condition,
                                       const std::string& norm);

}  // namespace normproof::verification::studies::language
