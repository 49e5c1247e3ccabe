#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ref/data/phrasebank.hpp"

namespace normproof::ref::data {

/// The number of sentences of the default corpus.
inline constexpr std::size_t default_synthetic_sentences = 512;

/// Returns an invented corpus of financial news in the style of Financial PhraseBank, so that
/// training runs without a file. No sentence, name or figure in it is real.
///
/// Computes  sentence i depends only on the numbers RandomStream(seed, "synthetic corpus").below(i
///           2^20 + k, .) with k = 0, 1, ... So a longer corpus of the same seed begins with the
///           shorter one. Labels: 62 % neutral, 25 % positive, 13 % negative. The length of a
///           sentence is counted in pieces of synthetic_vocabulary(), including [CLS] and [SEP].
///           The mean length is near 31; 3 % of the sentences have a few words, and 2 % contain a
///           list and have 70 to 165 pieces.
/// Requires  (C1) 1 <= count <= 2^40
/// Throws    ContractError
std::vector<LabelledSentence> synthetic_sentences(std::uint64_t seed,
                                                  std::size_t count = default_synthetic_sentences);

/// Returns the synthetic sentences as the bytes of a file:
/// format_phrasebank(synthetic_sentences(seed, count)).
/// Example   the hash of synthetic_phrasebank(42) is recorded in tests/ref/data/synthetic_test.cpp
std::string synthetic_phrasebank(std::uint64_t seed,
                                 std::size_t count = default_synthetic_sentences);

/// Returns the tokens of a WordPiece vocabulary for the synthetic corpus, as
/// Vocabulary::from_tokens expects them.
///
/// Computes  [PAD], [UNK], [CLS], [SEP], [MASK]; every character into which a text in ISO-8859-1 is
///           split, alone and, unless it is punctuation, also after "##"; the numbers 10 to 99 and
///           the years; the words of the corpus except rare names; beginnings of names, and
///           syllables after "##". So if a text is in ISO-8859-1, none of its words of at most 100
///           characters becomes [UNK].
std::vector<std::string> synthetic_vocabulary();

}  // namespace normproof::ref::data
