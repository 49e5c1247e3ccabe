#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// What a field of a JSON file should be, and one sentence where it is not: "<file>: <field> is
/// absent; expected <expectation>". `field` is the path that a reader looks for, such as
/// "probes[3].name"; its last part is `key`.
///
/// Throws    FileError, all of them
class JsonReader {
 public:
  using json = nlohmann::json;

  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(std::string_view field, std::string_view observation,
                         std::string_view expectation) const;

  /// The file's text as JSON, kMaxJsonNesting deep at most, in which no object has a key twice. A
  /// NUL ends no text; nothing may follow it either. What is no JSON is named by line and column.
  json parse(std::string_view text, std::string_view expectation) const;

  const json& at(const json& object, std::string_view field, const char* key, json::value_t type,
                 std::string_view expectation) const;
  std::string text(const json& object, std::string_view field, const char* key) const;
  std::uint64_t whole(const json& object, std::string_view field, const char* key) const;
  /// 64 lower-case hexadecimal digits.
  std::string sha256(const json& object, std::string_view field, const char* key) const;
  double number(const json& object, std::string_view field, const char* key) const;
  bool boolean(const json& object, std::string_view field, const char* key) const;
  const json& object(const json& object, std::string_view field, const char* key) const;
  const json& array(const json& object, std::string_view field, const char* key) const;

 private:
  std::string file_;
};

}  // namespace normproof::ref::io
