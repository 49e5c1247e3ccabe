#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/training/pair_data.hpp"

namespace normproof::verification::training {

/// Options of the beam search for a translation.
struct TranslationSearch {
  std::size_t width = 1;        ///< number of hypotheses in the beam; 1: greedy search
  double length_penalty = 0.6;  ///< exponent alpha of length_penalty()
  bool operator==(const TranslationSearch&) const = default;
};

/// Returns the best translation of each sentence, found by beam_search with IncrementalDecoder.
///
/// Computes  the beam search whose source is the words of the sentence and </s>, and whose target
///           starts with <s>. A translation has at most translation.max_length tokens. A word that
///           the source vocabulary lacks is replaced by <unk>. If the model outputs <unk>, it stays
///           in the translation. The translation of a sentence without words is empty
/// Requires  the requirements of IncrementalDecoder and of beam_search
/// Order     the translation of a sentence depends neither on the other sentences nor on the number
///           of threads
/// Throws    ContractError
std::vector<std::string> translate(const RunConfig& config, const PairVocabularies& words,
                                   const ref::train::TrainState<double>& state,
                                   const std::vector<std::string>& sentences,
                                   const TranslationSearch& search = {});

}  // namespace normproof::verification::training
