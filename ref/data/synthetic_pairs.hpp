#pragma once

#include <cstddef>
#include <cstdint>

#include "ref/data/parallel_text.hpp"

namespace normproof::ref::data {

/// How many pairs of the default corpus are trained on, validated on and tested.
struct SyntheticPairCounts {
  std::size_t training = 4000, validation = 200, test = 200;
};

/// Pairs of sentences of two toy grammars, so that a translator runs without a file. The target
/// sentence is a function of the source sentence, so that every pair can be translated.
///
/// Computes  pair i from the numbers RandomStream(seed, "synthetic pairs").below(16 i + k, .) with
///           k = 0, 1, ... alone, so that more pairs of the same seed begin with fewer. Words have
///           spaces between; ASCII.
///           source: in two sentences of five a place and "ni"; subject, "ga", object, "o", verb;
///           "ta" where it is past; "nai" where it is denied; "."
///           A phrase is a noun, the adjective behind it where there is one, and "ra" where it is
///           plural.
///           target: the phrase of the subject, the verb, that of the object, "at the" and the
///           place, "."
///           A phrase is "the", the adjective, and the noun with its plural "s". The verb agrees
///           with the subject in the present, has a past, and is denied by "does not", "do not" and
///           "did not".
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
ParallelText synthetic_pairs(std::uint64_t seed, std::size_t count);

/// The pairs of a seed in their order: to train on, to validate on, to test. A sentence may be
/// there twice, in two parts too.
/// Requires  (C2) 1 <= each of the counts <= 2^40
/// Throws    ContractError
ParallelCorpus synthetic_pair_corpus(std::uint64_t seed, const SyntheticPairCounts& counts = {});

}  // namespace normproof::ref::data
