#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// The maximum depth of nested arrays and objects in a file. Parsed JSON is copied, compared and
/// written recursively, and the stack overflows at some ten thousand levels.
inline constexpr std::size_t kMaxJsonNesting = 64;

/// A parsed JSON text, or the reasons for which it is rejected.
struct ParsedJson {
  nlohmann::json value;     ///< null if the text is rejected
  std::size_t nesting = 0;  ///< maximum depth of arrays and objects up to a syntax error
  std::optional<std::string> duplicate_key;  ///< the first key that occurs twice in an object
  /// The number of bytes up to a syntax error, the first wrong byte included.
  std::optional<std::size_t> error_end;
  bool is_too_large = false;  ///< whether that error is a number larger than any double

  bool is_rejected() const {
    return nesting > kMaxJsonNesting || duplicate_key.has_value() || error_end.has_value();
  }
};

/// Parses a text in one pass. A NUL does not end the text; it is a syntax error.
ParsedJson parse_json(std::string_view text);

}  // namespace normproof::ref::io
