#include "verification/support/process/lines.hpp"

#include <gtest/gtest.h>

#include <string>

namespace normproof::verification::support::process {
namespace {

/// Splits the text into lines. Returns each line as its number and text, such as "1:a". If a line
/// has no end, "..." follows.
std::string format_lines(std::string_view text) {
  std::string lines;
  for (const Line& line : split_lines(text)) {
    lines += lines.empty() ? "" : " ";
    lines += std::to_string(line.number) + ":" + std::string(line.text);
    lines += line.has_end ? "" : "...";
  }
  return lines;
}

TEST(SplitLines, ReturnsNumberedLinesAndMarksAnUnfinishedLine) {
  EXPECT_EQ(format_lines(""), "");
  EXPECT_EQ(format_lines("a"), "1:a...");
  EXPECT_EQ(format_lines("a\n"), "1:a");
  EXPECT_EQ(format_lines("a\nb"), "1:a 2:b...");
  EXPECT_EQ(format_lines("a\nb\n"), "1:a 2:b");
  EXPECT_EQ(format_lines("\n"), "1:");
  EXPECT_EQ(format_lines("\n\na\n\n"), "1: 2: 3:a 4:");
  EXPECT_EQ(format_lines("a\r\n"), "1:a\r");
}

TEST(SplitLines, ConcatenatedLinesEqualTheText) {
  for (const std::string_view text : {"", "a", "\n", "a\n\nb", "a\nb\n", "\n\n"}) {
    std::string again;
    for (const Line& line : split_lines(text)) {
      again += line.text;
      if (line.has_end) again += '\n';
    }
    EXPECT_EQ(again, text);
  }
}

TEST(WholeLines, DropsAnUnfinishedLastLine) {
  EXPECT_EQ(remove_unfinished_line(""), "");
  EXPECT_EQ(remove_unfinished_line("torn"), "");
  EXPECT_EQ(remove_unfinished_line("a\n"), "a\n");
  EXPECT_EQ(remove_unfinished_line("a\nb\ntorn"), "a\nb\n");
}

}  // namespace
}  // namespace normproof::verification::support::process
