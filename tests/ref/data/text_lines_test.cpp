#include "ref/data/text_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::check_line;
using normproof::ref::data::split_lines;
using normproof::ref::data::split_words;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using ::testing::ElementsAre;

TEST(TextLines, SplitsAtLineFeeds) {
  EXPECT_THAT(split_lines(""), ElementsAre());
  EXPECT_THAT(split_lines("a b\nc"), ElementsAre("a b", "c"));
  EXPECT_THAT(split_lines("a b\nc\n"), ElementsAre("a b", "c"));
  EXPECT_THAT(split_lines("\n\na"), ElementsAre("", "", "a"));
}

TEST(TextLines, SplitsWordsAtSpaces) {
  EXPECT_THAT(split_words("the boat ."), ElementsAre("the", "boat", "."));
  EXPECT_THAT(split_words("  the   boat "), ElementsAre("the", "boat"));
  EXPECT_THAT(split_words("a\tb\xe3\x80\x80"
                          "c"),
              ElementsAre("a\tb\xe3\x80\x80"
                          "c"));
  EXPECT_THAT(split_words(""), ElementsAre());
}

TEST(TextLines, ErrorsNameInvalidLines) {
  const auto message = [](std::string_view line) {
    return error_message<FileError>([=] { check_line(line, "word", "f.txt", 7, "a word"); });
  };
  EXPECT_EQ(message("r\xc3\xa9"), "no error");
  EXPECT_EQ(message("\xef\xbb\xbf"
                    "a"),
            "no error");  // after the first line it is an ordinary character
  EXPECT_EQ(error_message<FileError>([] {
              check_line(
                  "\xef\xbb\xbf"
                  "a",
                  "word", "f.txt", 1, "a word");
            }),
            "f.txt:1: the file begins with a UTF-8 byte order mark; expected a word");
  EXPECT_EQ(message(""), "f.txt:7: the line is empty; expected a word");
  EXPECT_EQ(message({"a\0b", 3}), "f.txt:7: the line has a NUL byte; expected a word");
  EXPECT_EQ(message("a\r"), "f.txt:7: the line has a CR; expected a word");
  EXPECT_EQ(message("a\xe9"),
            "f.txt:7: the word \"a\\xe9\" is not well-formed UTF-8; expected a word");
}

}  // namespace
}  // namespace normproof::tests::ref::data
