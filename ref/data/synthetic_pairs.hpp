#pragma once

#include <cstddef>
#include <cstdint>

#include "ref/data/parallel_text.hpp"

namespace normproof::ref::data {

/// The numbers of sentence pairs for training, validation and testing. The default values are the
/// sizes of the default corpus.
struct SyntheticPairCounts {
  std::size_t training = 4000, validation = 200, test = 200;
};

/// Returns sentence pairs in two languages with toy grammars, so that a translator can be trained
/// without a file. The source sentence determines the target sentence, so a translator can learn to
/// predict every target.
///
/// Computes  pair i depends only on the numbers RandomStream(seed, "synthetic pairs").below(16 i +
///           k, .) with k = 0, 1, ... So a longer text of the same seed begins with the shorter
///           one. Words are ASCII and separated by spaces. A source sentence is: a place and "ni"
///           (in two of five sentences); subject, "ga", object, "o", verb; "ta" in the past; "nai"
///           in a negation; ".". Subject and object are phrases: a noun, an optional adjective
///           after it, and "ra" in the plural. A target sentence is: the subject's phrase, the
///           verb, the object's phrase, "at the" and the place, ".". A phrase is "the", the
///           adjective, and the noun with its plural "s". The verb agrees with the subject in the
///           present, has a past form, and is negated by "does not", "do not" and "did not".
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
ParallelText synthetic_pairs(std::uint64_t seed, std::size_t count);

/// Returns consecutive sentence pairs of a seed: the first are for training, the next for
/// validation, the last for testing. A sentence may occur twice, for example in the training pairs
/// and in the test pairs.
/// Requires  (C2) each of the counts is from 1 to 2^40
/// Throws    ContractError
ParallelCorpus synthetic_pair_corpus(std::uint64_t seed, const SyntheticPairCounts& counts = {});

}  // namespace normproof::ref::data
