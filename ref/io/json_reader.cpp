#include "ref/io/json_reader.hpp"

#include <fmt/format.h>

#include "ref/io/file_failure.hpp"
#include "ref/io/json_nesting.hpp"

namespace normproof::ref::io {

using json = JsonReader::json;

void JsonReader::fail(std::string_view field, std::string_view observation,
                      std::string_view expectation) const {
  file_failure(file_, field, observation, expectation);
}

json JsonReader::parse(std::string_view text, std::string_view expectation) const {
  if (const std::size_t depth = json_nesting(text); depth > kMaxJsonNesting)
    fail("the whole", fmt::format("nests {} deep", depth),
         fmt::format("at most {}", kMaxJsonNesting));
  // The parser takes the character 0 for the end of the text.
  const bool whole = text.find('\0') == std::string_view::npos;
  json parsed = whole ? json::parse(text, nullptr, false) : json();
  if (!parsed.is_object()) fail("the whole", "is no JSON object", expectation);
  return parsed;
}

const json& JsonReader::at(const json& object, std::string_view field, const char* key,
                           json::value_t type, std::string_view expectation) const {
  const auto found = object.find(key);
  if (found == object.end()) fail(field, "is absent", expectation);
  if (found->type() != type) fail(field, fmt::format("is a {}", found->type_name()), expectation);
  return *found;
}

std::string JsonReader::text(const json& object, std::string_view field, const char* key) const {
  return at(object, field, key, json::value_t::string, "a string").get<std::string>();
}

std::uint64_t JsonReader::whole(const json& object, std::string_view field, const char* key) const {
  return at(object, field, key, json::value_t::number_unsigned, "a whole number")
      .get<std::uint64_t>();
}

std::string JsonReader::sha256(const json& object, std::string_view field, const char* key) const {
  std::string digits = text(object, field, key);
  if (digits.size() != 64 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    fail(field, "is no SHA-256", "64 hexadecimal digits");
  return digits;
}

double JsonReader::number(const json& object, std::string_view field, const char* key) const {
  const auto found = object.find(key);
  if (found == object.end()) fail(field, "is absent", "a number");
  if (!found->is_number()) fail(field, fmt::format("is a {}", found->type_name()), "a number");
  return found->get<double>();
}

bool JsonReader::boolean(const json& object, std::string_view field, const char* key) const {
  return at(object, field, key, json::value_t::boolean, "true or false").get<bool>();
}

const json& JsonReader::object(const json& object, std::string_view field, const char* key) const {
  return at(object, field, key, json::value_t::object, "an object");
}

const json& JsonReader::array(const json& object, std::string_view field, const char* key) const {
  return at(object, field, key, json::value_t::array, "an array");
}

}  // namespace normproof::ref::io
