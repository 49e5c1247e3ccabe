#include "ref/io/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "ref/io/file_failure.hpp"
#include "ref/io/json_nesting.hpp"

namespace normproof::ref::io {

using json = JsonReader::json;

namespace {

/// Scans a text to find where it stops being JSON, and a duplicate key of an object.
class JsonCheck : public nlohmann::json_sax<json> {
 public:
  std::optional<std::size_t> stop;  ///< index of the character after which it is not JSON
  bool too_large = false;           ///< at `stop` is a number that overflows
  std::string twice;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    if (!open_.back().insert(name).second) twice = name;
    return twice.empty();
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t read, const std::string&, const json::exception& error) override {
    stop = read == 0 ? 0 : read - 1;
    too_large = dynamic_cast<const json::out_of_range*>(&error) != nullptr;
    return false;
  }

 private:
  std::vector<std::set<std::string>> open_;  ///< the keys of the enclosing objects
};

/// Returns the number of keys of all objects inside, each key once per object.
std::size_t count_keys(const json& value) {
  std::size_t keys = value.is_object() ? value.size() : 0;
  if (value.is_structured())
    for (const json& member : value) keys += count_keys(member);
  return keys;
}

/// Returns text such as "line 3, column 7".
std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                     before.size() - begin + 1);
}

/// Returns the beginning of the number or word that the character belongs to or follows.
std::size_t word_begin(std::string_view text, std::size_t at) {
  constexpr std::string_view kEnds = " \t\r\n,:[]{}\"";
  at = std::min(at, text.size());
  if (at > 0 && (at == text.size() || kEnds.find(text[at]) != std::string_view::npos)) --at;
  const std::size_t before = text.substr(0, at + 1).find_last_of(kEnds);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::string_view read_word(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin);
  return rest.substr(0, rest.find_first_of(" \t\r\n,]}"));
}

/// Whether the word is NaN or infinity as Python or C writes it.
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
  const JsonShape shape = json_shape(text);
  if (shape.nesting > kMaxJsonNesting)
    fail("the whole", fmt::format("nests {} deep", shape.nesting),
         fmt::format("at most {}", kMaxJsonNesting));
  // The parser would treat a NUL as the end of the text.
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) {
    json parsed = json::parse(text, nullptr, false);
    if (parsed.is_object() && count_keys(parsed) == shape.keys) return parsed;
  }
  // There is an error; this finds out what it is, and where.
  JsonCheck check;
  if (zero != std::string_view::npos)
    check.stop = zero;
  else
    json::sax_parse(text, &check);
  if (!check.twice.empty())
    fail(fmt::format("the key '{}'", check.twice), "occurs twice", "every key once");
  if (check.stop) {
    const std::size_t begin = word_begin(text, *check.stop);
    if (const auto word = read_word(text, begin); check.too_large || is_not_finite(word))
      fail(fmt::format("the number {} ({})", word, line_and_column(text, begin)),
           check.too_large ? "is larger than any double" : "is not finite", "a finite number");
    fail("the whole", fmt::format("is no JSON object ({})", line_and_column(text, *check.stop)),
         expectation);
  }
  fail("the whole", "is no JSON object", expectation);
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
