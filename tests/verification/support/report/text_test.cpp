#include "verification/support/report/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;

TEST(ReportText, CleaningReplacesCharactersThatTerminalsOrXmlCannotShow) {
  EXPECT_EQ(clean("a\x1b[31mb\tc\nd"), "a [31mb c\nd");
  EXPECT_EQ(clean("\xff\xc3\xa9\xc3"), "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd");
  EXPECT_EQ(clean(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(clean("\xef\xbf\xbe"), "\xef\xbf\xbd");  // U+FFFE
  EXPECT_EQ(clean("\xc2\x85"), " ");                 // a control character beyond ASCII
  EXPECT_EQ(clean_line("a\nb"), "a b");
}

TEST(ReportText, WidthCountsTerminalColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("ψ²"), 2u);
  EXPECT_EQ(display_width("x̂"), 1u);  // x and a combining circumflex
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width(""), 0u);
}

TEST(ReportText, CuttingRespectsTheWidthAndKeepsCharactersWhole) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcd", 3), "ab…");
  EXPECT_EQ(cut("ψψψψ", 2), "ψ…");
  EXPECT_EQ(cut("漢字漢", 4), "漢…");
  EXPECT_EQ(cut("abc", 1), "…");
  EXPECT_EQ(cut("abc", 0), "");
  for (std::size_t width = 0; width < 12; ++width)
    EXPECT_LE(display_width(cut("x̂ 漢 = ψ² + 漢字", width)), width);
  EXPECT_EQ(pad_right("ψ", 3), "ψ  ");
  EXPECT_EQ(pad_right("abcd", 3), "ab…");
}

TEST(ReportText, WrappingBreaksLinesAtSpaces) {
  EXPECT_EQ(wrap("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(wrap("aaaaaaa b", 3), (std::vector<std::string>{"aaaaaaa", "b"}));
  EXPECT_EQ(wrap("  a  b ", 10), (std::vector<std::string>{"a b"}));
  EXPECT_TRUE(wrap("", 10).empty());
}

TEST(ReportText, NumbersAreFormattedForReaders) {
  EXPECT_EQ(number_text(0.123456), "0.123");
  EXPECT_EQ(number_text(1e49), "1e+49");
  EXPECT_EQ(decimals(1.23456, 4), "1.2346");
  EXPECT_EQ(decimals(2.0, 2), "2.00");
  EXPECT_EQ(decimals(std::nullopt, 2), kNoNumber);
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(plural(1, "claim"), "1 claim");
  EXPECT_EQ(plural(1000, "claim"), "1,000 claims");
}

TEST(ReportText, MarkupIsEscaped) {
  EXPECT_EQ(escape_markup("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
