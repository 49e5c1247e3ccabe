#pragma once

#include "verification/studies/language/tables.hpp"

namespace normproof::verification::studies::language {

/// Statistical power: the smallest difference between a norm and layer_norm that a study with a
/// given number of seeds can detect. It is estimated from the results that exist.
struct PowerRow {
  Condition condition;
  std::string norm;  ///< the norm that is compared with layer_norm
  /// Number of seeds for which the norm and layer_norm have results at their chosen rates.
  std::size_t pairs = 0;
  double deviation = 0;        ///< standard deviation of the paired differences
  double detectable = 0;       ///< detectable_difference() for `seeds` pairs
  double layer_norm_mean = 0;  ///< mean of the quantity for layer_norm over these seeds
};

/// Returns one row for each norm except layer_norm. A norm has a row only if there are at least two
/// seeds for which both the norm and layer_norm have the quantity at their chosen rates. The
/// quantity is validation_perplexity or validation_bleu; results on test data are not used.
/// Requires  2 <= seeds
std::vector<PowerRow> power_rows(const Results& results, const Quantity& quantity,
                                 std::size_t seeds);

/// Published results [SYG+20]: the perplexity of PowerNorm minus the perplexity of LayerNorm, on
/// PTB and on WikiText-103.
inline constexpr double kPublishedPtb = -5.6, kPublishedWikiText = -3.0;
/// Published results [SYG+20]: the BLEU of PowerNorm minus the BLEU of LayerNorm, on IWSLT14 and on
/// WMT14.
inline constexpr double kPublishedIwslt = 0.4, kPublishedWmt = 0.6;

}  // namespace normproof::verification::studies::language
