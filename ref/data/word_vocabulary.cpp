#include "ref/data/word_vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ref/data/text_file.hpp"
#include "ref/data/text_lines.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {

using numeric::Clause;

namespace {

constexpr std::string_view kUnknown = "<unk>", kBegin = "<s>", kEnd = "</s>";

bool is_special_word(std::string_view word) {
  return word == kUnknown || word == kBegin || word == kEnd;
}

/// Returns the words and their numbers of occurrences, the most frequent words first. Equally
/// frequent words are ordered by their bytes.
std::vector<std::pair<std::string, std::size_t>> count_words(
    const std::vector<std::string>& sentences) {
  std::map<std::string, std::size_t, std::less<>> counts;
  for (const std::string& sentence : sentences)
    for (const std::string_view word : split_words(sentence)) {
      if (is_special_word(word)) continue;
      const auto found = counts.find(word);
      if (found == counts.end())
        counts.emplace(word, 1);
      else
        ++found->second;
    }
  std::vector<std::pair<std::string, std::size_t>> sorted_words(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted_words, std::greater<>(),
                           &std::pair<std::string, std::size_t>::second);
  return sorted_words;
}

}  // namespace

WordVocabulary WordVocabulary::from_sentences(const std::vector<std::string>& sentences,
                                              std::size_t most) {
  constexpr std::string_view function = "WordVocabulary::of_sentences";
  if (most < 4)
    numeric::contract_failure(function, "most", fmt::format("is {}", most), "at least 4",
                              Clause::C1);
  std::vector<std::string> words = {std::string(kUnknown), std::string(kBegin), std::string(kEnd)};
  for (auto& [word, count] : count_words(sentences))
    if (words.size() < most) words.push_back(std::move(word));
  if (words.size() == 3)
    numeric::contract_failure(function, "sentences", "have no word", "one at least", Clause::C2);
  return from_words(std::move(words), function);
}

WordVocabulary WordVocabulary::load(const std::filesystem::path& path) {
  return parse(read_bytes(path), path.string());
}

WordVocabulary WordVocabulary::parse(std::string_view bytes, std::string_view name) {
  constexpr std::string_view expectation = "one word in UTF-8, ended by LF";
  std::vector<std::string> words = split_lines(bytes);
  for (std::size_t i = 0; i < words.size(); ++i) {
    check_line(words[i], "word", name, i + 1, expectation);
    if (words[i].find(' ') != std::string::npos)
      line_failure(name, i + 1, "the line has a space", expectation);
  }
  return from_words(std::move(words), name);
}

WordVocabulary WordVocabulary::from_words(std::vector<std::string> words, std::string_view name) {
  if (words.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    line_failure(name, words.size(), "there are too many words", "fewer than 2^31");
  WordVocabulary vocabulary;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [place, is_new] = vocabulary.ids_.emplace(words[i], static_cast<std::int32_t>(i));
    if (!is_new)
      line_failure(name, i + 1,
                   fmt::format("the word {} is already on line {}", quote_bytes(words[i]),
                               place->second + 1),
                   "each word once");
  }
  for (const auto& [word, id] :
       {std::pair{kUnknown, &vocabulary.unknown_}, std::pair{kBegin, &vocabulary.begin_},
        std::pair{kEnd, &vocabulary.end_}}) {
    const auto found = vocabulary.ids_.find(word);
    if (found == vocabulary.ids_.end())
      line_failure(name, std::max<std::size_t>(words.size(), 1),
                   fmt::format("the vocabulary ends without the word {}", word),
                   "<unk>, <s> and </s>");
    *id = found->second;
  }
  vocabulary.words_ = std::move(words);
  return vocabulary;
}

std::string WordVocabulary::text() const {
  std::string text;
  for (const std::string& word : words_) text += word + "\n";
  return text;
}

std::vector<std::int32_t> WordVocabulary::encode(std::string_view sentence) const {
  std::vector<std::int32_t> ids;
  for (const std::string_view word : split_words(sentence)) {
    const auto found = ids_.find(word);
    ids.push_back(found == ids_.end() || is_special_word(word) ? unknown_ : found->second);
  }
  return ids;
}

std::string WordVocabulary::decode(const std::vector<std::int32_t>& ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= size())
      numeric::contract_failure("WordVocabulary::decode", "ids", fmt::format("has {}", id),
                                fmt::format("0 <= id < {}", size()), Clause::C3);
    if (id == end_) break;
    if (id == begin_) continue;
    if (!text.empty()) text += ' ';
    text += words_[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace normproof::ref::data
