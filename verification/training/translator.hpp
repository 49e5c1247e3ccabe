#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/training/pair_data.hpp"

namespace normproof::verification::training {

/// Options of the search for a translation.
struct Search {
  std::size_t width = 1;        ///< number of hypotheses in the beam; 1: greedy search
  double length_penalty = 0.6;  ///< alpha of length_penalty()
  bool operator==(const Search&) const = default;
};

/// Returns the best translation of each sentence, as found by beam_search with IncrementalDecoder.
///
/// Computes  the search with the words of the sentence and </s> as source and <s> as the first
///           token of the target; translation.max_length limits its length. Words outside the
///           source vocabulary are <unk>, and an <unk> that the model outputs stays in the
///           translation. A sentence without words has an empty translation
/// Requires  those of IncrementalDecoder and of beam_search
/// Order     the translation of a sentence depends neither on the other sentences nor on the number
///           of threads
/// Throws    ContractError
std::vector<std::string> translate(const RunConfig& config, const PairVocabularies& words,
                                   const ref::train::TrainState<double>& state,
                                   const std::vector<std::string>& sentences,
                                   const Search& search = {});

}  // namespace normproof::verification::training
