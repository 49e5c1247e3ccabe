#include "ref/io/parsed_json.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ref/io/json_reader.hpp"
#include "ref/io/safetensors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::FileError;

std::string make_nested_json(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text, end;
  for (std::size_t i = 0; i < depth; ++i) {
    text += open;
    end += close;
  }
  return text + "1" + end;
}

std::string header_rejection_message(const std::string& text) {
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  file += text;
  return numeric::error_message<FileError>(
      [&] { decode_safetensors(std::as_bytes(std::span(file)), "f"); });
}

std::string rejection_message(const std::string& text) {
  return numeric::error_message<FileError>([&] { JsonReader("f").parse(text, "JSON"); });
}

TEST(ParsedJson, MatchesTheParserOfNlohmannJson) {
  for (
      const std::string text :
      {R"({"b": [1, -2, 2.5, 18446744073709551615, "\u00e9\"", true, null, [], {}], "a": {"b": {}}})",
       "[]", "{}", "1", "null", R"("a")", " [ [1], {\"a\": [2]} ]\n"}) {
    const ParsedJson parsed = parse_json(text);
    EXPECT_FALSE(parsed.is_rejected()) << text;
    EXPECT_EQ(parsed.value.dump(), nlohmann::json::parse(text).dump());
    EXPECT_EQ(parsed.value, nlohmann::json::parse(text));
  }
}

TEST(ParsedJson, ReportsTheDepthOfNestingOutsideStrings) {
  EXPECT_EQ(parse_json("1").nesting, 0u);
  EXPECT_EQ(parse_json("{}").nesting, 1u);
  EXPECT_EQ(parse_json(R"({"a": [1, [2]], "b": [[], {}]})").nesting, 3u);
  EXPECT_EQ(parse_json(R"(["[[[", "\"[[", "\\", [1]])").nesting, 2u);
}

TEST(ParsedJson, ReportsTheFirstDuplicateKeyAtAnyDepth) {
  EXPECT_EQ(parse_json(R"({"a": [{"b": ":"}, "\":"], ":": {"b": 1}})").duplicate_key, std::nullopt);
  const ParsedJson parsed = parse_json(R"([{"a": 1, "b": {"c": 1, "c": [2]}, "a": 2}, 3])");
  EXPECT_EQ(parsed.duplicate_key, "c");
  EXPECT_TRUE(parsed.value.is_null());
  EXPECT_EQ(parse_json(R"({"": 1, "": 2})").duplicate_key, "");
}

TEST(ParsedJson, ReportsThePositionOfASyntaxError) {
  using namespace std::string_literals;
  EXPECT_EQ(parse_json("").error_end, 1u);
  EXPECT_EQ(parse_json("[1, x]").error_end, 5u);
  EXPECT_EQ(parse_json("{}\0"s).error_end, 3u);
  EXPECT_FALSE(parse_json("[1, x]").is_too_large);
  EXPECT_TRUE(parse_json("[1e400]").is_too_large);
  EXPECT_TRUE(parse_json("[1, x]").value.is_null());
}

// Fuzzing found such files. They overflowed the stack of an earlier version.
TEST(ParsedJson, FilesNestedTooDeepAreRejected) {
  for (const std::size_t depth : {kMaxJsonNesting, std::size_t{200'000}}) {
    const std::string lists = make_nested_json(depth, "[", "]"),
                      objects = make_nested_json(depth, R"({"a":)", "}");
    for (const std::string& inner : {lists, objects}) {
      EXPECT_EQ(rejection_message(R"({"a":)" + inner + "}"),
                "f: the whole nests " + std::to_string(depth + 1) + " deep; expected at most 64");
      EXPECT_EQ(header_rejection_message(R"({"a":{"dtype":)" + inner +
                                         R"(,"shape":[],"data_offsets":[0,0]}})"),
                "f: the header nests " + std::to_string(depth + 2) + " deep; expected at most 64");
    }
  }
  EXPECT_EQ(rejection_message(R"({"a":)" + make_nested_json(kMaxJsonNesting - 1, "[", "]") + "}"),
            "no error");
}

}  // namespace
}  // namespace normproof::ref::io
