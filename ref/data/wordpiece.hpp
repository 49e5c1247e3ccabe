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
/// Computes  of each word of basic_tokenize(text): from its start, the longest prefix that is a
///           token; then, until the word ends, the longest prefix of the rest that is a token after
///           "##". A word where no token fits, or of more than 100 characters, is one [UNK].
class WordPieceTokenizer {
 public:
  /// Characters (code points after clean-up) of the longest word that is split.
  static constexpr std::size_t max_word_characters = 100;

  explicit WordPieceTokenizer(Vocabulary vocabulary);

  /// The ids of the pieces alone.
  /// Requires  (C1) of basic_tokenize
  std::vector<std::int32_t> pieces(std::string_view text) const;

  /// [CLS] pieces [SEP], of at most max_length ids: pieces are dropped from the end, never [SEP].
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
