#include "verification/training/bleu_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "ref/data/utf8.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {
namespace {

/// Whether Python's str.isspace is true for the code point.
bool is_python_space(std::int32_t c) {
  constexpr std::pair<std::int32_t, std::int32_t> ranges[] = {
      {0x9, 0xd},       {0x1c, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
      {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
  return std::ranges::any_of(ranges, [c](auto r) { return r.first <= c && c <= r.second; });
}

/// Calls `f(first, end)` for each maximal part of the text without white space. `first` points to
/// the first byte of the part, and `end` points behind its last byte.
template <class F>
void for_each_word(std::string_view text, F f) {
  std::size_t first = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::int32_t c = ref::data::next_character(text, at);
    if (c < 0)
      ref::numeric::contract_failure("bleu_tokens", "sentence",
                                     fmt::format("is not UTF-8 from byte {} on", begin),
                                     "well-formed UTF-8", ref::numeric::Clause::C1);
    if (!is_python_space(c)) continue;
    if (begin > first) f(first, begin);
    first = at;
  }
  if (text.size() > first) f(first, text.size());
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_period_or_comma(char c) {
  return c == '.' || c == ',';
}
/// Whether the character is ASCII punctuation other than apostrophe, comma, hyphen and period.
bool is_separated_punctuation(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Runs one replacement rule of the tokenizer 13a over the text, from left to right. If `fits`
/// returns true for two neighboring bytes, `write` writes their replacement, and the rule continues
/// after the two bytes.
template <class Fits, class Write>
std::string apply_rule(const std::string& text, Fits fits, Write write) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && fits(text[i], text[i + 1])) {
      result += write(text[i], text[i + 1]);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string separate_punctuation_13a(std::string text) {
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  std::string marked = " ";
  for (const char c : text)
    marked += is_separated_punctuation(c) ? std::string{' ', c, ' '} : std::string(1, c);
  marked += ' ';
  marked = apply_rule(
      marked, [](char a, char b) { return !is_digit(a) && is_period_or_comma(b); },
      [](char a, char b) {
        return std::string{a, ' ', b, ' '};
      });
  marked = apply_rule(
      marked, [](char a, char b) { return is_period_or_comma(a) && !is_digit(b); },
      [](char a, char b) {
        return std::string{' ', a, ' ', b};
      });
  return apply_rule(
      marked, [](char a, char b) { return is_digit(a) && b == '-'; },
      [](char a, char b) {
        return std::string{a, ' ', b, ' '};
      });
}

}  // namespace

std::string_view to_string(BleuTokenizer tokenizer) {
  return tokenizer == BleuTokenizer::none ? "none" : "13a";
}

std::vector<std::string> bleu_tokens(std::string_view sentence, BleuTokenizer tokenizer) {
  if (sentence.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    ref::numeric::contract_failure("bleu_tokens", "sentence",
                                   fmt::format("has {} bytes", sentence.size()), "less than 2^31",
                                   ref::numeric::Clause::C1);
  std::size_t end = 0;
  for_each_word(sentence, [&](std::size_t, std::size_t behind) { end = behind; });
  std::string text(sentence.substr(0, end));
  if (tokenizer == BleuTokenizer::mteval_13a) text = separate_punctuation_13a(std::move(text));
  std::vector<std::string> tokens;
  for_each_word(text, [&](std::size_t first, std::size_t behind) {
    tokens.push_back(text.substr(first, behind - first));
  });
  return tokens;
}

}  // namespace normproof::verification::training
