#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ref/data/vocabulary.hpp"

namespace normproof::ref::data {

/// BERT's uncased WordPiece tokenizer.
///
/// Source    [DCLT19]; [WSC+16], section 4.1; byte-exact with the Rust tokenizers library
/// Computes  each word of basic_tokenize(text) is split from its start into the longest prefix that
///           is a token, then, until the word ends, into the longest prefix of the rest that is a
///           token after "##". A word for which no token fits, or of more than 100 characters,
///           becomes one [UNK].
class WordPieceTokenizer {
 public:
  /// The maximum length of a word that is split, in characters (code points after clean-up).
  static constexpr std::size_t max_word_characters = 100;

  explicit WordPieceTokenizer(Vocabulary vocabulary);

  /// Returns the ids of the pieces, without special tokens.
  /// Requires  (C1) of basic_tokenize
  std::vector<std::int32_t> pieces(std::string_view text) const;

  /// Returns [CLS] pieces [SEP], at most max_length ids: pieces are dropped from the end, but [SEP]
  /// is kept.
  /// Requires  (C1) of basic_tokenize  (C2) max_length >= 2
  std::vector<std::int32_t> encode(std::string_view text,
                                   std::optional<std::size_t> max_length = std::nullopt) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  void append_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  Vocabulary vocabulary_;
  std::size_t longest_token_ = 0;  // in bytes
};

}  // namespace normproof::ref::data
