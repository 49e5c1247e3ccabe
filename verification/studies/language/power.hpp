#pragma once

#include "verification/studies/language/tables.hpp"

namespace normproof::verification::studies::language {

/// Which difference a study of some seeds can see, from those that a folder has.
struct PowerRow {
  Condition condition;
  std::string norm;            ///< beside layer_norm
  std::size_t pairs = 0;       ///< seeds of which there are both, at their chosen rates
  double deviation = 0;        ///< of the paired differences in the quantity
  double detectable = 0;       ///< detectable_difference of `seeds` pairs
  double layer_norm_mean = 0;  ///< the quantity of layer_norm over these seeds
};

/// A row for each norm but layer_norm of which there are two pairs with the quantity,
/// validation_perplexity or validation_bleu: cells of the chosen rate, tested or not; the test part
/// is not looked at.
/// Requires  2 <= seeds
std::vector<PowerRow> power_rows(const Results& results, const Quantity& quantity,
                                 std::size_t seeds);

/// What [SYG+20] reports for PowerNorm beside LayerNorm, in perplexity: PTB, WikiText-103.
inline constexpr double kPublishedPtb = -5.6, kPublishedWikiText = -3.0;
/// In BLEU: IWSLT14, WMT14.
inline constexpr double kPublishedIwslt = 0.4, kPublishedWmt = 0.6;

}  // namespace normproof::verification::studies::language
