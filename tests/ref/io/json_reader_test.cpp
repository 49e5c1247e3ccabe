#include "ref/io/json_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::FileError;
using Json = JsonReader::json;

const JsonReader kReader("f.json");

template <class F>
std::string reader_error_message(F&& f) {
  return numeric::error_message<FileError>(f);
}

TEST(JsonReader, ReadsFieldsOfEveryType) {
  const Json object = kReader.parse(
      R"( {"t": "x", "n": 18446744073709551615, "b": false, "o": {"a": 1}, "l": [1, 2]} )", "");
  EXPECT_EQ(kReader.text(object, "t", "t"), "x");
  EXPECT_EQ(kReader.whole(object, "n", "n"), 18446744073709551615u);
  EXPECT_FALSE(kReader.boolean(object, "b", "b"));
  EXPECT_EQ(kReader.number(object, "n", "n"), 0x1p64);
  EXPECT_EQ(kReader.number(Json{{"x", -2.5}}, "x", "x"), -2.5);
  EXPECT_EQ(kReader.whole(kReader.object(object, "o", "o"), "o.a", "a"), 1u);
  EXPECT_EQ(kReader.array(object, "l", "l").size(), 2u);
}

TEST(JsonReader, RejectsTextThatIsNotAnObject) {
  for (const std::string text : {"[1]", "1", "null", "\"a\""})
    EXPECT_EQ(reader_error_message([&] { kReader.parse(text, "a corpus"); }),
              "f.json: the whole is no JSON object; expected a corpus")
        << text;
}

TEST(JsonReader, ErrorsNameLineAndColumnOfInvalidJson) {
  using namespace std::string_literals;
  for (const auto& [text, line, column] :
       std::vector<std::tuple<std::string, int, int>>{{"", 1, 1},
                                                      {"{", 1, 2},
                                                      {"{}x", 1, 3},
                                                      {"{} {}", 1, 4},
                                                      {"{}\0"s, 1, 3},
                                                      {"{\"a\": \"\0\"}"s, 1, 8},
                                                      {"{\"a\": \"\xff\"}", 1, 8},
                                                      {"{'a': 1}", 1, 2},
                                                      {"{\n  \"a\": 1\n  \"b\": 2\n}\n", 3, 5},
                                                      {"{\"a\": nul}", 1, 10},
                                                      {"{\"a\": 1,\n}", 2, 1}})
    EXPECT_EQ(reader_error_message([&] { kReader.parse(text, "a corpus"); }),
              fmt::format("f.json: the whole is no JSON object (line {}, column {}); expected a "
                          "corpus",
                          line, column))
        << text;
}

TEST(JsonReader, RejectsNonFiniteNumbers) {
  for (const std::string word : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"})
    EXPECT_EQ(reader_error_message([&] { kReader.parse("{\n\"a\": [" + word + "]}", "a corpus"); }),
              "f.json: the number " + word +
                  " (line 2, column 7) is not finite; expected a finite number");
  EXPECT_EQ(reader_error_message([&] { kReader.parse("{\"a\": -1e400, \"b\": 2}", "a corpus"); }),
            "f.json: the number -1e400 (line 1, column 7) is larger than any double; expected a "
            "finite number");
  EXPECT_EQ(kReader.number(kReader.parse("{\"a\": 1e308}", ""), "a", "a"), 1e308);
}

TEST(JsonReader, RejectsDuplicateKeys) {
  EXPECT_EQ(reader_error_message(
                [&] { kReader.parse(R"({"a": {"b": 1, "c": [{"b": 2}], "b": 1}})", ""); }),
            "f.json: the key 'b' occurs twice; expected every key once");
  EXPECT_NO_THROW(kReader.parse(R"({"a": {"b": 1}, "b": [{"a": 1}, {"a": 2}]})", ""));
}

TEST(JsonReader, ErrorsNameFieldsOfWrongType) {
  const Json object = {{"t", 1}, {"n", -1}, {"m", 1.0}, {"b", "true"}, {"o", nullptr}, {"l", true}};
  EXPECT_EQ(reader_error_message([&] { kReader.text(object, "c[3].t", "t"); }),
            "f.json: c[3].t is a number; expected a string");
  EXPECT_EQ(reader_error_message([&] { kReader.whole(object, "n", "n"); }),
            "f.json: n is a number; expected a whole number");
  EXPECT_EQ(reader_error_message([&] { kReader.whole(object, "m", "m"); }),
            "f.json: m is a number; expected a whole number");
  EXPECT_EQ(reader_error_message([&] { kReader.number(object, "b", "b"); }),
            "f.json: b is a string; expected a number");
  EXPECT_EQ(reader_error_message([&] { kReader.boolean(object, "b", "b"); }),
            "f.json: b is a string; expected true or false");
  EXPECT_EQ(reader_error_message([&] { kReader.object(object, "o", "o"); }),
            "f.json: o is a null; expected an object");
  EXPECT_EQ(reader_error_message([&] { kReader.array(object, "l", "l"); }),
            "f.json: l is a boolean; expected an array");
  EXPECT_EQ(reader_error_message([&] { kReader.text(object, "x.absent", "absent"); }),
            "f.json: x.absent is absent; expected a string");
}

TEST(JsonReader, FailWritesAMessageOfOneLine) {
  EXPECT_EQ(reader_error_message([] { kReader.fail("a", "is 'x\ny\t'", "z"); }),
            "f.json: a is 'x?y?'; expected z");
}

}  // namespace
}  // namespace normproof::ref::io
