#include "ref/io/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/io/file_failure.hpp"
#include "ref/io/parsed_json.hpp"

namespace normproof::ref::io {

using json = JsonReader::json;

namespace {

/// Returns the position of the byte with index `at` as text, such as "line 3, column 7".
std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                     before.size() - begin + 1);
}

/// Returns the position at which a number or word of the JSON text begins. `at` is the index of a
/// character that belongs to the word or follows it directly.
std::size_t word_begin(std::string_view text, std::size_t at) {
  constexpr std::string_view kWordTerminators = " \t\r\n,:[]{}\"";
  at = std::min(at, text.size());
  if (at > 0 && (at == text.size() || kWordTerminators.find(text[at]) != std::string_view::npos))
    --at;
  const std::size_t before = text.substr(0, at + 1).find_last_of(kWordTerminators);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::string_view read_word(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin);
  return rest.substr(0, rest.find_first_of(" \t\r\n,]}"));
}

/// Whether the word is NaN or infinity as Python or C prints it.
bool is_not_finite(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return word == "NaN" || word == "nan" || word == "Infinity" || word == "inf";
}

}  // namespace

void JsonReader::fail(std::string_view field, std::string_view observation,
                      std::string_view expectation) const {
  file_failure(file_, field, observation, expectation);
}

json JsonReader::parse(std::string_view text, std::string_view expectation) const {
  ParsedJson parsed = parse_json(text);
  if (parsed.nesting > kMaxJsonNesting)
    fail("the whole", fmt::format("nests {} deep", parsed.nesting),
         fmt::format("at most {}", kMaxJsonNesting));
  if (parsed.duplicate_key)
    fail(fmt::format("the key '{}'", *parsed.duplicate_key), "occurs twice", "every key once");
  if (parsed.error_end) {
    const std::size_t error = std::max<std::size_t>(*parsed.error_end, 1) - 1;
    const std::size_t begin = word_begin(text, error);
    if (const auto word = read_word(text, begin); parsed.is_too_large || is_not_finite(word))
      fail(fmt::format("the number {} ({})", word, line_and_column(text, begin)),
           parsed.is_too_large ? "is larger than any double" : "is not finite", "a finite number");
    fail("the whole", fmt::format("is no JSON object ({})", line_and_column(text, error)),
         expectation);
  }
  if (!parsed.value.is_object()) fail("the whole", "is no JSON object", expectation);
  return std::move(parsed.value);
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
