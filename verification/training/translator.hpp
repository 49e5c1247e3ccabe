#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/training/pair_data.hpp"

namespace normproof::verification::training {

/// How a translation is looked for.
struct Search {
  std::size_t width = 1;        ///< hypotheses at once; 1: greedy
  double length_penalty = 0.6;  ///< alpha
  bool operator==(const Search&) const = default;
};

/// The best translation of each sentence that beam_search finds, with IncrementalDecoder.
/// Computes  the words of the sentence and </s> are the source, <s> begins the target, and
///           translation.max_length cuts it off. A word that is none of the source's is <unk>, and
///           <unk> stays where the model says it. A sentence without a word stays without
/// Requires  those of IncrementalDecoder and of beam_search
/// Order     a sentence has the same words beside any others, on any number of threads
/// Throws    ContractError
std::vector<std::string> translate(const RunConfig& config, const PairWords& words,
                                   const ref::train::TrainState<double>& state,
                                   const std::vector<std::string>& sentences,
                                   const Search& search = {});

}  // namespace normproof::verification::training
