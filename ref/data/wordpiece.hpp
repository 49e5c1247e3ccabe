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
/// Computes  each word of basic_tokenize(text) is split into pieces from left to right. The first
///           piece is the longest prefix that is a token. Each further piece is the longest prefix
///           of the remaining text that is a token when written after "##". If no token fits, or if
///           the word has more than 100 characters, the whole word becomes one [UNK].
class WordPieceTokenizer {
 public:
  /// The maximum length of a word that is split, in characters (code points after clean-up).
  static constexpr std::size_t max_word_characters = 100;

  explicit WordPieceTokenizer(Vocabulary vocabulary);

  /// Returns the ids of the pieces of the text, without special tokens.
  /// Requires  (C1) of basic_tokenize
  std::vector<std::int32_t> pieces(std::string_view text) const;

  /// Returns the ids of [CLS], the pieces of the text, and [SEP]. If there are more than max_length
  /// ids, the last pieces are dropped; [SEP] is kept.
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
