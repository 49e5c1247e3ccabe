#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ref/data/phrasebank.hpp"

namespace normproof::ref::data {

/// Number of sentences of the default corpus.
inline constexpr std::size_t default_synthetic_sentences = 512;

/// A made-up corpus of financial news in the manner of Financial PhraseBank, so that everything
/// runs without a file. No sentence, name or figure of it is anybody's.
///
/// Computes  sentence i from the numbers
///           RandomStream(seed, "synthetic corpus").below(i 2^20 + k, .) with k = 0, 1, ... alone,
///           so that a longer corpus of the same seed begins with the shorter one. Labels: 62 %
///           neutral, 25 % positive, 13 % negative. Lengths in pieces of synthetic_vocabulary(),
///           with [CLS] and [SEP]: mean near 31; 3 % are of a few words, 2 % carry a list and have
///           70 to 165 pieces.
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
std::vector<LabelledSentence> synthetic_sentences(std::uint64_t seed,
                                                  std::size_t count = default_synthetic_sentences);

/// The synthetic sentences as the bytes of a file: format_phrasebank(synthetic_sentences(seed,
/// count)).
/// Example   the hash of synthetic_phrasebank(42) is recorded in tests/ref/data/synthetic_test.cpp
std::string synthetic_phrasebank(std::uint64_t seed,
                                 std::size_t count = default_synthetic_sentences);

/// The tokens of a WordPiece vocabulary that fits the corpus, for Vocabulary::from_tokens.
///
/// Computes  [PAD], [UNK], [CLS], [SEP], [MASK]; every character that a text in ISO-8859-1 is split
///           into, alone and, unless it is punctuation, after "##"; the numbers 10 to 99 and the
///           years; the words of the corpus except rare names; beginnings of names, and syllables
///           after "##". So no word of at most 100 characters of a text in ISO-8859-1 becomes
///           [UNK].
std::vector<std::string> synthetic_vocabulary();

}  // namespace normproof::ref::data
