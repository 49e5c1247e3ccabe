#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// Reads fields of a JSON file and checks their types. An error message has the form "<file>:
/// <field> is absent; expected <expectation>". `field` is the path of the field in the file, such
/// as "probes[3].name", and `key` is the last part of that path.
///
/// Throws    FileError (every function)
class JsonReader {
 public:
  using json = nlohmann::json;

  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(std::string_view field, std::string_view observation,
                         std::string_view expectation) const;

  /// Parses a text as JSON. Arrays and objects may be nested up to kMaxJsonNesting levels, and an
  /// object must not have duplicate keys. A NUL is an error; it does not end the text. An error
  /// message names the line and the column.
  json parse(std::string_view text, std::string_view expectation) const;

  const json& at(const json& object, std::string_view field, const char* key, json::value_t type,
                 std::string_view expectation) const;
  std::string text(const json& object, std::string_view field, const char* key) const;
  std::uint64_t whole(const json& object, std::string_view field, const char* key) const;
  /// Returns the value of a field that must be a text of 64 lower-case hexadecimal digits.
  std::string sha256(const json& object, std::string_view field, const char* key) const;
  double number(const json& object, std::string_view field, const char* key) const;
  bool boolean(const json& object, std::string_view field, const char* key) const;
  const json& object(const json& object, std::string_view field, const char* key) const;
  const json& array(const json& object, std::string_view field, const char* key) const;

 private:
  std::string file_;
};

}  // namespace normproof::ref::io
