#include "ref/data/synthetic.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "ref/data/basic_tokenization.hpp"
#include "ref/data/synthetic_lexicon.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::ref::data {

using numeric::Clause;

namespace {

constexpr std::uint64_t first_year = 2003;
constexpr std::uint64_t year_count = 12;

/// Returns an amount as decimal text. The amount is given in tenths: format_tenths(1234)
/// is "123.4".
std::string format_tenths(std::uint64_t tenths) {
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

/// Writes one sentence of the corpus. It draws consecutive numbers of the random stream.
class SentenceWriter {
 public:
  SentenceWriter(const numeric::RandomStream& stream, std::uint64_t sentence)
      : stream_(stream), next_(sentence << 20) {
    currency_ = pick_word("currency");
    low_ = 5 + draw(draw(2) == 0 ? 300 : 6000);
    high_ = low_ + 1 + draw(low_ + 20);
  }

  LabelledSentence write() {
    const auto of_100 = draw(100);
    const int label = of_100 < 13 ? 0 : of_100 < 38 ? 2 : 1;
    const std::string kind(label_name(label));
    const auto length = draw(100);
    std::string sentence;
    if (length < 3) {
      append(pick_word("short " + kind), sentence);
    } else {
      if (draw(5) == 0) append(pick_word("opening"), sentence);
      append(pick_word(kind), sentence);
      if (length < 5) {
        append_list(14 + draw(24), sentence);
      } else {
        append_closing_phrases(sentence);
      }
      sentence += " .";
    }
    if (sentence[0] >= 'a' && sentence[0] <= 'z')
      sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
    return {std::move(sentence), label};
  }

 private:
  std::uint64_t draw(std::uint64_t count) { return stream_.below(next_++, count); }

  std::string_view pick_word(std::string_view list) {
    const auto texts = find_lexicon_list(list)->texts;
    return texts[draw(texts.size())];
  }

  /// Appends `text` to the sentence. Each slot such as "{product}" is replaced by a text or a
  /// number.
  void append(std::string_view text, std::string& sentence) {
    for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
      sentence += text.substr(0, open);
      const auto close = text.find('}', open);
      append_slot_text(text.substr(open + 1, close - open - 1), sentence);
      text.remove_prefix(close + 1);
    }
    sentence += text;
  }

  void append_list(std::uint64_t items, std::string& sentence) {
    append(" ; other lines of business are {product}", sentence);
    for (; items > 0; --items) append(items > 1 ? " , {product}" : " and {product}", sentence);
  }

  /// Appends zero, one or two different phrases from the list "closing".
  void append_closing_phrases(std::string& sentence) {
    const auto closings = find_lexicon_list("closing")->texts;
    const auto number = draw(10);
    if (number < 5) return;
    const auto first = draw(closings.size());
    append(closings[first], sentence);
    if (number < 9) return;
    append(closings[(first + 1 + draw(closings.size() - 1)) % closings.size()], sentence);
  }

  std::string format_money(std::uint64_t tenths) {
    switch (draw(4)) {
      case 0:
        return fmt::format("{}{}m", currency_, format_tenths(tenths));
      case 1:
        return fmt::format("{} {} million", currency_, format_tenths(tenths));
      default:
        return fmt::format("{} {} mn", currency_, format_tenths(tenths));
    }
  }

  void append_slot_text(std::string_view slot, std::string& sentence) {
    if (slot == "company") {
      append(draw(3) == 0 ? "{firm} {form}" : "{firm}", sentence);
    } else if (slot == "person") {
      append("{given} {family}", sentence);
    } else if (slot == "low") {
      sentence += format_money(low_);
    } else if (slot == "high") {
      sentence += format_money(high_);
    } else if (slot == "money") {
      sentence += format_money(5 + draw(4000));
    } else if (slot == "percent") {
      sentence += format_tenths(1 + draw(480)) + " %";
    } else if (slot == "year") {
      sentence += std::to_string(first_year + draw(year_count));
    } else if (slot == "day") {
      sentence += std::to_string(1 + draw(28));
    } else if (slot == "count") {
      sentence += std::to_string(10 + draw(990));
    } else if (slot == "thousands") {
      const auto shares = 1000 + draw(900000);
      sentence += fmt::format("{},{:03}", shares / 1000, shares % 1000);
    } else {
      append(pick_word(slot), sentence);
    }
  }

  const numeric::RandomStream& stream_;
  std::uint64_t next_;
  std::string_view currency_;
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

/// A list of tokens without duplicates, in the order in which they were added first.
class TokenList {
 public:
  void add(std::string token) {
    if (seen_.insert(token).second) tokens_.push_back(std::move(token));
  }
  std::vector<std::string> move_tokens_out() { return std::move(tokens_); }

 private:
  std::vector<std::string> tokens_;
  std::set<std::string> seen_;
};

/// Cleans up each character of ISO-8859-1, removes its accent and converts it to lower case. Adds
/// the result as a token, and also as a token after "##", unless it is punctuation.
void add_characters(TokenList& tokens) {
  for (const std::string_view prefix : {"", "##"}) {
    for (unsigned c = 0x21; c <= 0xff; ++c) {
      const std::string character = c < 0x80 ? std::string{static_cast<char>(c)}
                                             : std::string{static_cast<char>(0xc0 | c >> 6),
                                                           static_cast<char>(0x80 | (c & 0x3f))};
      const auto words = basic_tokenize(character);
      if (words.empty()) continue;
      const bool is_punctuation = basic_tokenize("a" + character).size() > 1;
      if (prefix.empty() || !is_punctuation) tokens.add(fmt::format("{}{}", prefix, words[0]));
    }
  }
}

/// Returns `text` with each slot such as "{product}" replaced by a space.
std::string replace_slots_by_spaces(std::string_view text) {
  std::string result;
  bool in_slot = false;
  for (const char c : text) {
    if (c == '{') in_slot = true;
    if (!in_slot) result += c;
    if (c == '}') {
      in_slot = false;
      result += ' ';
    }
  }
  return result;
}

}  // namespace

std::vector<LabelledSentence> synthetic_sentences(std::uint64_t seed, std::size_t count) {
  if (count < 1 || count > std::size_t{1} << 40) {
    numeric::contract_failure("synthetic_sentences", "count", fmt::format("is {}", count),
                              "1 <= count <= 2^40", Clause::C1);
  }
  const numeric::RandomStream stream(seed, "synthetic corpus");
  std::vector<LabelledSentence> sentences;
  for (std::size_t i = 0; i < count; ++i) sentences.push_back(SentenceWriter(stream, i).write());
  return sentences;
}

std::string synthetic_phrasebank(std::uint64_t seed, std::size_t count) {
  return format_phrasebank(synthetic_sentences(seed, count));
}

std::vector<std::string> synthetic_vocabulary() {
  TokenList tokens;
  for (const auto* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) tokens.add(special);
  add_characters(tokens);
  for (int number = 10; number < 100; ++number) tokens.add(std::to_string(number));
  for (std::uint64_t i = 0; i < year_count; ++i) tokens.add(std::to_string(first_year + i));
  for (const auto& list : lexicon()) {
    if (list.is_names) continue;
    for (const auto text : list.texts) {
      for (auto& word : basic_tokenize(replace_slots_by_spaces(text))) tokens.add(std::move(word));
    }
  }
  for (const auto stem : lexicon_stems()) tokens.add(std::string(stem));
  for (const auto syllable : lexicon_syllables()) tokens.add(fmt::format("##{}", syllable));
  return tokens.move_tokens_out();
}

}  // namespace normproof::ref::data
