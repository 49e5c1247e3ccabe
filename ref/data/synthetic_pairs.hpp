#pragma once

#include <cstddef>
#include <cstdint>

#include "ref/data/parallel_text.hpp"

namespace normproof::ref::data {

/// The numbers of pairs for training, validation and testing in the default corpus.
struct SyntheticPairCounts {
  std::size_t training = 4000, validation = 200, test = 200;
};

/// Returns pairs of sentences of two toy grammars, so that a translator runs without a file. The
/// target sentence is a function of the source sentence, so every pair can be translated.
///
/// Computes  pair i depends only on the numbers RandomStream(seed, "synthetic pairs").below(16 i +
///           k, .) with k = 0, 1, ..., so a longer text of the same seed begins with the shorter
///           one. Words are ASCII and separated by spaces.
///           source: in two of five sentences a place and "ni"; subject, "ga", object, "o", verb;
///           "ta" in the past; "nai" in a negation; ".". A phrase is a noun, an optional adjective
///           after it, and "ra" in the plural.
///           target: the phrase of the subject, the verb, that of the object, "at the" and the
///           place, ".". A phrase is "the", the adjective, and the noun with its plural "s". The
///           verb agrees with the subject in the present, has a past form, and is negated by "does
///           not", "do not" and "did not".
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
ParallelText synthetic_pairs(std::uint64_t seed, std::size_t count);

/// Returns the pairs of a seed in order: first those for training, then for validation, then for
/// testing. A sentence may occur twice, even in two parts.
/// Requires  (C2) each of the counts is from 1 to 2^40
/// Throws    ContractError
ParallelCorpus synthetic_pair_corpus(std::uint64_t seed, const SyntheticPairCounts& counts = {});

}  // namespace normproof::ref::data
