#include "ref/data/vocabulary.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "ref/data/text_file.hpp"
#include "ref/data/text_lines.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {

using numeric::Clause;

namespace {

void check_token(std::string_view token, std::string_view name, std::size_t line) {
  constexpr std::string_view expectation = "one token in UTF-8, ended by LF";
  if (token.size() > 1000)
    line_failure(name, line, fmt::format("the token has {} bytes", token.size()), "at most 1000");
  if (token.find('\n') != std::string_view::npos)
    line_failure(name, line, "the token has an LF", expectation);
  check_line(token, "token", name, line, expectation);
}

}  // namespace

Vocabulary Vocabulary::load(const std::filesystem::path& path) {
  return parse(read_bytes(path), path.string());
}

Vocabulary Vocabulary::parse(std::string_view bytes, std::string_view name) {
  return from_tokens(split_lines(bytes), name);
}

Vocabulary Vocabulary::from_tokens(std::vector<std::string> tokens, std::string_view name) {
  if (tokens.empty()) line_failure(name, 1, "the vocabulary is empty", "one token a line");
  if (tokens.size() > std::numeric_limits<std::int32_t>::max())
    line_failure(name, tokens.size(), "there are too many tokens", "fewer than 2^31");
  Vocabulary vocabulary;
  vocabulary.ids_.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    check_token(tokens[i], name, i + 1);
    const auto [place, is_new] = vocabulary.ids_.emplace(tokens[i], static_cast<std::int32_t>(i));
    if (!is_new) {
      line_failure(name, i + 1,
                   fmt::format("the token {} is already on line {}", quote_bytes(tokens[i]),
                               place->second + 1),
                   "each token once");
    }
  }
  vocabulary.tokens_ = std::move(tokens);
  const auto special = [&vocabulary, name](std::string_view token) {
    const auto id = vocabulary.id(token);
    if (!id) {
      line_failure(name, vocabulary.size(),
                   fmt::format("the vocabulary ends without the token {}", token),
                   "[PAD], [UNK], [CLS] and [SEP]");
    }
    return *id;
  };
  vocabulary.pad_id_ = special("[PAD]");
  vocabulary.unk_id_ = special("[UNK]");
  vocabulary.cls_id_ = special("[CLS]");
  vocabulary.sep_id_ = special("[SEP]");
  return vocabulary;
}

const std::string& Vocabulary::token(std::int32_t id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= size()) {
    numeric::contract_failure("Vocabulary::token", "id", fmt::format("is {}", id),
                              fmt::format("0 <= id < {}", size()), Clause::C1);
  }
  return tokens_[static_cast<std::size_t>(id)];
}

std::optional<std::int32_t> Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace normproof::ref::data
