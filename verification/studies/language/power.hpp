#pragma once

#include "verification/studies/language/tables.hpp"

namespace normproof::verification::studies::language {

/// The difference that a study with a given number of seeds can detect, estimated from the results
/// so far.
struct PowerRow {
  Condition condition;
  std::string norm;            ///< compared with layer_norm
  std::size_t pairs = 0;       ///< number of seeds with both runs at their chosen rates
  double deviation = 0;        ///< standard deviation of the paired differences in the quantity
  double detectable = 0;       ///< detectable_difference for `seeds` pairs
  double layer_norm_mean = 0;  ///< mean of layer_norm over these seeds
};

/// Returns one row for each norm, other than layer_norm, with at least two pairs that have the
/// quantity, validation_perplexity or validation_bleu. The cells have the chosen rate; results of
/// the test part are not used.
/// Requires  2 <= seeds
std::vector<PowerRow> power_rows(const Results& results, const Quantity& quantity,
                                 std::size_t seeds);

/// The differences of PowerNorm from LayerNorm in [SYG+20], in perplexity on PTB and WikiText-103.
inline constexpr double kPublishedPtb = -5.6, kPublishedWikiText = -3.0;
/// The same differences in BLEU on IWSLT14 and WMT14.
inline constexpr double kPublishedIwslt = 0.4, kPublishedWmt = 0.6;

}  // namespace normproof::verification::studies::language
