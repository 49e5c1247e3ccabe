#include "ref/data/wordpiece.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ref/data/basic_tokenization.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {

using numeric::Clause;

namespace {

constexpr std::string_view continuation = "##";

bool is_character_start(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {
  for (std::size_t i = 0; i < vocabulary_.size(); ++i) {
    longest_token_ =
        std::max(longest_token_, vocabulary_.token(static_cast<std::int32_t>(i)).size());
  }
}

std::vector<std::int32_t> WordPieceTokenizer::pieces(std::string_view text) const {
  std::vector<std::int32_t> ids;
  for (const auto& word : basic_tokenize(text)) append_word(word, ids);
  return ids;
}

std::vector<std::int32_t> WordPieceTokenizer::encode(std::string_view text,
                                                     std::optional<std::size_t> max_length) const {
  if (max_length && *max_length < 2) {
    numeric::contract_failure("WordPieceTokenizer::encode", "max_length",
                              fmt::format("is {}", *max_length), "at least 2", Clause::C2);
  }
  std::vector<std::int32_t> ids = {vocabulary_.cls_id()};
  for (const auto& word : basic_tokenize(text)) append_word(word, ids);
  if (max_length && ids.size() >= *max_length) ids.resize(*max_length - 1);
  ids.push_back(vocabulary_.sep_id());
  return ids;
}

void WordPieceTokenizer::append_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const auto before = ids.size();
  const auto use_unknown = [&] {
    ids.resize(before);
    ids.push_back(vocabulary_.unk_id());
  };
  if (std::ranges::count_if(word, is_character_start) >
      static_cast<std::ptrdiff_t>(max_word_characters)) {
    return use_unknown();
  }
  std::string rest(word);  // begins with "##" after the first piece
  for (std::size_t prefix = 0; rest.size() > prefix; prefix = continuation.size()) {
    std::size_t end = std::min(rest.size(), longest_token_);
    std::optional<std::int32_t> id;
    for (; end > prefix; --end) {  // tokens end at the end of a character
      id = vocabulary_.id(std::string_view(rest).substr(0, end));
      if (id) break;
    }
    if (!id) return use_unknown();
    ids.push_back(*id);
    rest.replace(0, end, continuation);
  }
}

}  // namespace normproof::ref::data
