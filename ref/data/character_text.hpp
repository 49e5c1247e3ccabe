#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// The characters that a text has, ascending by code point: the vocabulary of a language model of
/// characters. A token is the number of its character, from 0.
class Alphabet {
 public:
  /// Computes  every character of the text, once
  /// Throws    FileError naming `name` and the line: the text is empty, or not UTF-8
  static Alphabet of_text(std::string_view text, std::string_view name);

  /// Throws    FileError naming `name` and the line: a character that is none of these, or bytes
  ///           that are not UTF-8
  std::vector<std::int32_t> encode(std::string_view text, std::string_view name) const;

  /// The first character of the text that is none of these, as UTF-8.
  /// Throws    FileError naming `name`: bytes that are not UTF-8
  std::optional<std::string> first_unknown(std::string_view text, std::string_view name) const;

  /// Requires  (C1) each token is below size()
  /// Throws    ContractError
  std::string decode(const std::vector<std::int32_t>& tokens) const;

  std::size_t size() const { return characters_.size(); }
  /// All of them, as UTF-8.
  std::string text() const;

 private:
  std::vector<std::int32_t> characters_;  // code points
};

}  // namespace normproof::ref::data
