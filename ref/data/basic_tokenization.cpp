#include "ref/data/basic_tokenization.hpp"

#include <fmt/format.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "ref/data/utf8.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {

using numeric::Clause;

namespace {

constexpr std::uint8_t unicode_version = 8;

/// Decomposes characters canonically, but only the characters of Unicode 8.0. Unicode guarantees
/// that these decompositions never change, so the result is the same with a newer ICU.
class Decomposition {
 public:
  static const Decomposition& instance() {
    static const Decomposition decomposition;
    return decomposition;
  }

  icu::UnicodeString operator()(const icu::UnicodeString& text) const {
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeString result;
    filtered_.normalize(text, result, status);
    check(status);
    return result;
  }

 private:
  Decomposition() : filtered_(nfd_normalizer(), assigned_) {
    UErrorCode status = U_ZERO_ERROR;
    assigned_.applyPattern(icu::UnicodeString::fromUTF8("[:Age=8.0:]"), status);
    check(status);
    assigned_.freeze();
  }

  static const icu::Normalizer2& nfd_normalizer() {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* instance = icu::Normalizer2::getNFDInstance(status);
    check(status);
    return *instance;
  }

  static void check(UErrorCode status) {
    if (U_FAILURE(status)) {
      throw numeric::FileError(
          fmt::format("ICU: canonical decomposition fails with {}; expected "
                      "ICU's data library beside the program",
                      u_errorName(status)));
    }
  }

  icu::UnicodeSet assigned_;
  icu::FilteredNormalizer2 filtered_;
};

bool is_assigned(UChar32 c) {
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] > 0 && (age[0] < unicode_version || (age[0] == unicode_version && age[1] == 0));
}

/// Returns the general category of c in Unicode 8.0 as a bit (U_GC_..._MASK). Later versions of
/// Unicode moved seven of its characters to a different category.
std::uint32_t unicode_category(UChar32 c) {
  switch (c) {
    case 0x166d:
    case 0x111c9:
      return U_GC_PO_MASK;
    case 0x1734:
    case 0x1171e:
      return U_GC_MN_MASK;
    case 0x1885:
    case 0x1886:
      return U_GC_LO_MASK;
    case 0xa9bd:
      return U_GC_MC_MASK;
    default:
      return is_assigned(c) ? U_GET_GC_MASK(c) : U_GC_CN_MASK;
  }
}

bool has_category(UChar32 c, std::uint32_t mask) {
  return (unicode_category(c) & mask) != 0;
}

bool is_blank(UChar32 c) {
  return c == '\t' || c == '\n' || c == '\r' || u_isUWhiteSpace(c);
}

bool is_removed_by_clean_up(UChar32 c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return c == 0 || c == 0xfffd || has_category(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK);
}

/// Whether c is a CJK ideograph. The ranges of code points are the same as in the Rust release of
/// BERT's tokenizer. They are also the same as in [DCLT19], except that the sixth range begins at
/// U+2B920 instead of U+2B820.
bool is_cjk(UChar32 c) {
  constexpr std::pair<UChar32, UChar32> ranges[] = {
      {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},   {0x20000, 0x2a6df},
      {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0x2f800, 0x2fa1f}};
  return std::ranges::any_of(ranges, [c](auto r) { return r.first <= c && c <= r.second; });
}

bool is_punctuation(UChar32 c) {
  if (c < 0x80) return c > 0x20 && c < 0x7f && !u_isalnum(c);
  return has_category(c, U_GC_P_MASK);
}

/// Collects words and punctuation marks, as step 5 of basic_tokenize requires.
class WordCollector {
 public:
  void end_word() {
    if (!word_.empty()) words_.push_back(std::exchange(word_, {}));
  }
  void add_punctuation(std::string_view punctuation) {
    end_word();
    words_.emplace_back(punctuation);
  }
  void append(std::string_view character) { word_ += character; }
  std::vector<std::string> move_words_out() {
    end_word();
    return std::move(words_);
  }

 private:
  std::vector<std::string> words_;
  std::string word_;
};

/// Does what basic_tokenize does, for text in which every character is ASCII. Steps 2 and 3 have no
/// effect on such text.
std::vector<std::string> tokenize_ascii(std::string_view text) {
  WordCollector words;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      words.end_word();
    } else if (c < ' ' || c == 0x7f) {
      continue;
    } else if (c >= 'A' && c <= 'Z') {
      const char lower = static_cast<char>(c - 'A' + 'a');
      words.append({&lower, 1});
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      words.append({&c, 1});
    } else {
      words.add_punctuation({&c, 1});
    }
  }
  return words.move_words_out();
}

/// Does steps 1 and 2 of basic_tokenize: clean-up, and spaces around CJK ideographs.
icu::UnicodeString clean_up_text(std::string_view text) {
  icu::UnicodeString cleaned;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const UChar32 c = next_character(text, i);
    if (c < 0) {
      numeric::contract_failure("basic_tokenize", "text",
                                fmt::format("is not UTF-8 from byte {} on", begin),
                                "well-formed UTF-8", Clause::C1);
    }
    if (is_removed_by_clean_up(c)) continue;
    if (is_blank(c)) {
      cleaned.append(u' ');
    } else if (is_cjk(c)) {
      cleaned.append(u' ').append(c).append(u' ');
    } else {
      cleaned.append(c);
    }
  }
  return cleaned;
}

}  // namespace

std::vector<std::string> basic_tokenize(std::string_view text) {
  if (text.size() > std::numeric_limits<std::int32_t>::max() / 4) {
    numeric::contract_failure("basic_tokenize", "text", fmt::format("has {} bytes", text.size()),
                              "fewer than 2^29", Clause::C1);
  }
  if (std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; }))
    return tokenize_ascii(text);
  const icu::UnicodeString decomposed = Decomposition::instance()(clean_up_text(text));
  WordCollector words;
  for (std::int32_t i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1)) {
    const UChar32 original = decomposed.char32At(i);
    if (has_category(original, U_GC_MN_MASK)) continue;
    const UChar32 c = u_tolower(original);
    char bytes[U8_MAX_LENGTH];
    std::int32_t size = 0;
    U8_APPEND_UNSAFE(bytes, size, c);
    const std::string_view character(bytes, static_cast<std::size_t>(size));
    if (is_blank(c)) {
      words.end_word();
    } else if (is_punctuation(c)) {
      words.add_punctuation(character);
    } else {
      words.append(character);
    }
  }
  return words.move_words_out();
}

}  // namespace normproof::ref::data
