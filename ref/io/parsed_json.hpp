#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// The maximum depth of nested arrays and objects in a file. Parsed JSON is copied, compared and
/// written recursively, and some ten thousand levels would overflow the stack.
inline constexpr std::size_t kMaxJsonNesting = 64;

/// The result of parsing a JSON text: its value, or the reasons why the text is rejected.
struct ParsedJson {
  nlohmann::json value;     ///< null if the text is rejected
  std::size_t nesting = 0;  ///< maximum depth of arrays and objects before a syntax error
  std::optional<std::string> duplicate_key;  ///< the first key that occurs twice in an object
  /// The number of bytes up to and including the first wrong byte. It is empty if there is no
  /// syntax error.
  std::optional<std::size_t> error_end;
  bool is_too_large = false;  ///< whether the error is a number beyond double's range

  bool is_rejected() const {
    return nesting > kMaxJsonNesting || duplicate_key.has_value() || error_end.has_value();
  }
};

/// Parses a text in one pass. A NUL is a syntax error; it does not end the text.
ParsedJson parse_json(std::string_view text);

}  // namespace normproof::ref::io
