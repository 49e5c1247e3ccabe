#include "ref/data/phrasebank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "ref/data/text_file.hpp"
#include "ref/data/utf8.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {
namespace {

using numeric::Clause;
using numeric::contract_failure;

constexpr std::array<std::string_view, num_labels> label_names = {"negative", "neutral",
                                                                  "positive"};
constexpr std::string_view forbidden = std::string_view("\0\r\n", 3);

bool is_blank(std::string_view latin1) {
  return latin1.find_first_not_of(" \t\xa0") == std::string_view::npos;
}

std::string utf8_from_latin1(std::string_view latin1) {
  std::string utf8;
  utf8.reserve(latin1.size());
  for (const char c : latin1) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return utf8;
}

/// Converts UTF-8 to ISO-8859-1. The UTF-8 sequences of two bytes that begin with C2 or C3 are
/// exactly the characters U+0080 to U+00FF.
std::string latin1_from_utf8(std::string_view utf8, std::string_view function,
                             std::string_view argument) {
  std::string latin1;
  latin1.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const unsigned lead = static_cast<unsigned char>(utf8[i]);
    if (lead < 0x80) {
      latin1 += utf8[i];
      continue;
    }
    const unsigned next = i + 1 < utf8.size() ? static_cast<unsigned char>(utf8[i + 1]) : 0u;
    if ((lead != 0xc2 && lead != 0xc3) || (next & 0xc0) != 0x80) {
      contract_failure(function, argument, fmt::format("has the byte {:#04x} at {}", lead, i),
                       "well-formed UTF-8 of characters up to U+00FF", Clause::C2);
    }
    latin1 += static_cast<char>((lead & 0x03) << 6 | (next & 0x3f));
    ++i;
  }
  return latin1;
}

LabelledSentence parse_line(std::string_view line, std::string_view name, std::size_t number) {
  if (line.empty()) line_failure(name, number, "the line is empty", "sentence@label");
  if (line.find('\0') != std::string_view::npos)
    line_failure(name, number, "the line has a NUL byte", "ISO-8859-1 text");
  const auto at = line.rfind('@');
  if (at == std::string_view::npos) {
    line_failure(name, number, fmt::format("the line {} has no '@'", quote_bytes(line)),
                 "sentence@label");
  }
  const auto sentence = line.substr(0, at);
  const auto label = line.substr(at + 1);
  const auto found = std::ranges::find(label_names, label);
  if (found == label_names.end()) {
    line_failure(name, number,
                 fmt::format("the label after the last '@' is {}", quote_bytes(label)),
                 "negative, neutral or positive");
  }
  if (is_blank(sentence))
    line_failure(name, number, "the sentence before the last '@' is empty", "a sentence");
  return {utf8_from_latin1(sentence), static_cast<int>(found - label_names.begin())};
}

}  // namespace

std::string_view label_name(int label) {
  if (label < 0 || label >= num_labels)
    contract_failure("label_name", "label", fmt::format("is {}", label), "0, 1 or 2", Clause::C1);
  return label_names[static_cast<std::size_t>(label)];
}

std::vector<LabelledSentence> read_phrasebank(const std::filesystem::path& path) {
  return parse_phrasebank(read_bytes(path), path.string());
}

std::vector<LabelledSentence> parse_phrasebank(std::string_view bytes, std::string_view name) {
  if (bytes.empty()) line_failure(name, 1, "the file is empty", "lines of sentence@label");
  if (bytes.starts_with(kByteOrderMark)) {
    line_failure(name, 1, "the file begins with a UTF-8 byte order mark",
                 "ISO-8859-1 text without a mark");
  }
  std::vector<LabelledSentence> sentences;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < bytes.size(); ++number) {
    const auto end = bytes.find_first_of("\r\n", begin);
    if (end == std::string_view::npos) {
      line_failure(name, number, "the last line does not end with CR LF",
                   "CR LF after every line (the file may be truncated)");
    }
    if (bytes[end] == '\n')
      line_failure(name, number, "the line ends with LF alone", "CR LF after every line");
    if (end + 1 == bytes.size() || bytes[end + 1] != '\n')
      line_failure(name, number, "the line has a CR without LF", "CR LF after every line");
    sentences.push_back(parse_line(bytes.substr(begin, end - begin), name, number));
    begin = end + 2;
  }
  return sentences;
}

std::string format_phrasebank(const std::vector<LabelledSentence>& sentences) {
  constexpr std::string_view function = "format_phrasebank";
  if (sentences.empty())
    contract_failure(function, "sentences", "is empty", "at least one sentence", Clause::C1);
  std::string bytes;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto& [sentence, label] = sentences[i];
    const auto argument = fmt::format("sentences[{}]", i);
    const auto latin1 = latin1_from_utf8(sentence, function, argument + ".sentence");
    if (is_blank(latin1))
      contract_failure(function, argument + ".sentence", "is empty", "a sentence", Clause::C2);
    if (latin1.find_first_of(forbidden) != std::string::npos) {
      contract_failure(function, argument + ".sentence", "has a NUL, CR or LF", "text of one line",
                       Clause::C2);
    }
    if (label < 0 || label >= num_labels) {
      contract_failure(function, argument + ".label", fmt::format("is {}", label), "0, 1 or 2",
                       Clause::C3);
    }
    bytes += latin1;
    bytes += '@';
    bytes += label_name(label);
    bytes += "\r\n";
  }
  if (bytes.starts_with(kByteOrderMark)) {
    contract_failure(function, "sentences[0].sentence",
                     "begins with the bytes of a UTF-8 byte order mark", "other text", Clause::C4);
  }
  return bytes;
}

}  // namespace normproof::ref::data
