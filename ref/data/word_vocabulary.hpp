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

/// The words of a language that a translator knows: word <-> id. Three of them are special: <unk>
/// stands for every other word, <s> begins a sentence, </s> ends it; in a text they are words like
/// any other, and unknown. A place without a word has the id of </s>, and a mask that says so.
///
/// Source    the files train.<language>.vocab.4k of the corpus small_parallel_enja
class WordVocabulary {
 public:
  /// How many words there are at most where nothing else is said, the special ones among them.
  static constexpr std::size_t default_size = 4096;

  /// Computes  <unk>, <s>, </s>, and of the words of the sentences the most frequent ones, the most
  ///           frequent first, of equally frequent ones the first by their bytes; `most` in all, or
  ///           as many as there are
  /// Requires  (C1) most >= 4  (C2) there is a word that is not special
  /// Throws    ContractError
  static WordVocabulary of_sentences(const std::vector<std::string>& sentences,
                                     std::size_t most = default_size);

  /// A file with a word a line, its id the number of the line from 0.
  /// Requires  UTF-8, each line ended by LF (the last one may lack it); no empty line, no NUL, CR
  ///           or space, no word twice; <unk>, <s> and </s> present, wherever
  /// Throws    FileError with the file, the number of the line from 1, and the expectation
  static WordVocabulary load(const std::filesystem::path& path);

  /// `load` of bytes in memory; `name` stands for the file in messages.
  static WordVocabulary parse(std::string_view bytes, std::string_view name);

  /// What `parse` reads.
  std::string text() const;

  /// The ids of the words of a sentence, without <s> and </s>.
  std::vector<std::int32_t> encode(std::string_view sentence) const;

  /// Computes  the words, a space between, up to the first </s>, without <s>
  /// Requires  (C3) 0 <= id < size()
  /// Throws    ContractError
  std::string decode(const std::vector<std::int32_t>& ids) const;

  std::size_t size() const { return words_.size(); }
  std::int32_t unknown_id() const { return unknown_; }
  std::int32_t begin_id() const { return begin_; }
  std::int32_t end_id() const { return end_; }
  std::int32_t padding_id() const { return end_; }

 private:
  static WordVocabulary of_words(std::vector<std::string> words, std::string_view name);

  std::vector<std::string> words_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
  std::int32_t unknown_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace normproof::ref::data
