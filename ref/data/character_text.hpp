#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// The characters of a text in ascending order of code points: the vocabulary of a character-level
/// language model. A token is the index of its character, from 0.
class Alphabet {
 public:
  /// Returns the alphabet that consists of all characters of the text.
  /// Throws    FileError that names `name` and the line if the text is empty or not UTF-8
  static Alphabet from_text(std::string_view text, std::string_view name);

  /// Returns the tokens of a text.
  /// Throws    FileError that names `name` and the line if a character is not in the alphabet, or
  ///           if the bytes are not UTF-8
  std::vector<std::int32_t> encode(std::string_view text, std::string_view name) const;

  /// Returns the first character of the text that is not in the alphabet, as UTF-8. If all
  /// characters are in the alphabet, the result is empty.
  /// Throws    FileError that names `name` if the bytes are not UTF-8
  std::optional<std::string> find_unknown_character(std::string_view text,
                                                    std::string_view name) const;

  /// Returns the text that the tokens encode.
  /// Requires  (C1) each token is below size()
  /// Throws    ContractError
  std::string decode(const std::vector<std::int32_t>& tokens) const;

  std::size_t size() const { return characters_.size(); }
  /// Returns all characters of the alphabet as UTF-8, in ascending order.
  std::string text() const;

 private:
  std::vector<std::int32_t> characters_;  // code points
};

}  // namespace normproof::ref::data
