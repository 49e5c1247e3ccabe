#include "ref/io/json_nesting.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ref/io/json_reader.hpp"
#include "ref/io/safetensors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::FileError;

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
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

TEST(JsonNesting, CountsOpenBracketsOutsideStrings) {
  EXPECT_EQ(json_shape("").nesting, 0u);
  EXPECT_EQ(json_shape("1").nesting, 0u);
  EXPECT_EQ(json_shape("{}").nesting, 1u);
  EXPECT_EQ(json_shape(R"({"a": [1, [2]], "b": [[], {}]})").nesting, 3u);
  EXPECT_EQ(json_shape(R"(["[[[", "\"[[", "\\", [1]])").nesting, 2u);
  EXPECT_EQ(json_shape("]]][").nesting, 1u);
  EXPECT_EQ(json_shape("[\"\\").nesting, 1u);
}

TEST(JsonNesting, CountsKeysOutsideStrings) {
  EXPECT_EQ(json_shape("{}").keys, 0u);
  EXPECT_EQ(json_shape(R"({"a": [{"b": ":"}, "\":"], ":": {"b": 1}})").keys, 4u);
  EXPECT_EQ(json_shape(R"({"a": 1, "a": 2})").keys, 2u);
}

// Fuzzing found these files; each of them overflowed the stack.
TEST(JsonNesting, RejectsFilesThatNestTooDeep) {
  for (const std::size_t depth : {kMaxJsonNesting, std::size_t{200'000}}) {
    const std::string lists = nested(depth, "[", "]"), objects = nested(depth, R"({"a":)", "}");
    for (const std::string& inner : {lists, objects}) {
      EXPECT_EQ(rejection_message(R"({"a":)" + inner + "}"),
                "f: the whole nests " + std::to_string(depth + 1) + " deep; expected at most 64");
      EXPECT_EQ(header_rejection_message(R"({"a":{"dtype":)" + inner +
                                         R"(,"shape":[],"data_offsets":[0,0]}})"),
                "f: the header nests " + std::to_string(depth + 2) + " deep; expected at most 64");
    }
  }
  EXPECT_EQ(rejection_message(R"({"a":)" + nested(kMaxJsonNesting - 1, "[", "]") + "}"),
            "no error");
}

}  // namespace
}  // namespace normproof::ref::io
