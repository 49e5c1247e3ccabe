#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// The vocabulary of one language of a translator, which maps words to ids and ids to words. Three
/// words are special: <unk> stands for every word that is not in the vocabulary, <s> begins a
/// sentence, </s> ends it. If one of these three occurs in a text, it counts as an unknown word.
/// Padding has the id of </s>, and a mask marks it.
///
/// Source    the files train.<language>.vocab.4k of the corpus small_parallel_enja
class WordVocabulary {
 public:
  /// The default maximum number of words, including the special ones.
  static constexpr std::size_t default_size = 4096;

  /// Builds a vocabulary from sentences.
  /// Computes  <unk>, <s>, </s>, then the words of the sentences, the most frequent first; equally
  ///           frequent words are ordered by their bytes. `most` is the maximum number of words,
  ///           including the special ones
  /// Requires  (C1) most >= 4  (C2) there is a word that is not special
  /// Throws    ContractError
  static WordVocabulary from_sentences(const std::vector<std::string>& sentences,
                                       std::size_t most = default_size);

  /// Reads a vocabulary from a file with one word per line. The id of a word is the number of its
  /// line, counted from 0.
  /// Requires  UTF-8. Each line ends with LF; the LF of the last line may be absent. There is no
  ///           empty line, no NUL, CR or space, and no duplicate word; <unk>, <s> and </s> are
  ///           present, in any place
  /// Throws    FileError with the file, the number of the line (the first is 1) and the expectation
  static WordVocabulary load(const std::filesystem::path& path);

  /// Does what `load` does, for bytes in memory. Error messages use `name` instead of a file name.
  static WordVocabulary parse(std::string_view bytes, std::string_view name);

  /// Returns the vocabulary as text that `parse` can read.
  std::string text() const;

  /// Returns the ids of the words of a sentence, without <s> and </s>.
  std::vector<std::int32_t> encode(std::string_view sentence) const;

  /// Returns the words with these ids, separated by spaces. <s> is omitted, and the text ends
  /// before the first </s>.
  /// Requires  (C3) 0 <= id < size()
  /// Throws    ContractError
  std::string decode(const std::vector<std::int32_t>& ids) const;

  std::size_t size() const { return words_.size(); }
  std::int32_t unknown_id() const { return unknown_; }
  std::int32_t begin_id() const { return begin_; }
  std::int32_t end_id() const { return end_; }
  std::int32_t padding_id() const { return end_; }

 private:
  static WordVocabulary from_words(std::vector<std::string> words, std::string_view name);

  std::vector<std::string> words_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
  std::int32_t unknown_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace normproof::ref::data
