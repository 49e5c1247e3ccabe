#include "verification/support/report/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/verification/support/report/sample_document.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using testing::HasSubstr;
using testing::Not;

TEST(TerminalReport, PrintsPartsInOrder) {
  EXPECT_EQ(terminal_text(sample_document()),
            "a < b & *c*\n"
            "one two\n"
            "it <failed>\n"
            "  first_one\n"
            "  - second\n"
            "\n"
            "x --y <z>\n"
            "\n"
            "FAILED quick/a\n"
            "  y is <absent>\n"
            "  repro: redo --only 'a'\n"
            "\n"
            "of|things\n"
            "name       count  what\n"
            "ψ          1,000  plain text\n"
            "long name      7  words that go on and on\n"
            "           a note\n"
            "\n"
            "folded\n"
            "name  count  what\n");
}

TEST(TerminalReport, CutsRowsToTheWidthUnlessTheyReportAFailure) {
  Table table{"", {{"name"}, {.name = "what", .may_be_cut = true}}};
  table.rows.push_back({{{"a"}, {"words that go on and on"}}, Tone::plain, {"notes go on too"}});
  table.rows.push_back({{{"b"}, {"words that go on and on"}}, Tone::bad, {"notes go on too"}});
  EXPECT_EQ(terminal_text({"", {table}}, 16),
            "name  what\n"
            "a     words tha…\n"
            "      notes go …\n"
            "b     words tha…\n"
            "      words that\n"
            "      go on and\n"
            "      on\n"
            "      notes go\n"
            "      on too\n");
}

TEST(TerminalReport, CutsRowNamesIfTheColumnsAreTooWide) {
  Table table{"", {{"name"}, number_column("number"), {"last"}}};
  table.rows.push_back({{{"a name of twenty-two."}, {"1234567890"}, {"abc"}}});
  std::istringstream lines(terminal_text({"", {table}}, 30));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 30u) << line;
  EXPECT_THAT(terminal_text({"", {table}}, 30), HasSubstr("…  1234567890  abc\n"));
  EXPECT_THAT(terminal_text({"", {table}}, 200), Not(HasSubstr("…")));
}

TEST(TerminalReport, WrapsParagraphsButNotCommands) {
  const Document document{"", {Paragraph{"aaa bbb ccc"}, Problem{"F", "s", {"dd ee"}, "g h i j"}}};
  EXPECT_EQ(terminal_text(document, 7), "aaa bbb\nccc\n\nF s\n  dd ee\n  repro: g h i j\n");
}

TEST(TerminalReport, RemovesControlCharacters) {
  Table table{"", {{"a"}}};
  table.rows.push_back({{{"x\n\x1b[31m"}}});
  const std::string text = terminal_text({"", {Paragraph{"b\x1b"}, table}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("x  [31m\n"));
}

TEST(TerminalReport, RowsCanBePrintedOneByOne) {
  const TableLines lines({{.name = "name", .min_width = 6}, number_column("n")});
  EXPECT_EQ(lines.head(), "name    n\n");
  EXPECT_EQ(lines.row({{{"ab"}, {"1"}}}), "ab      1\n");
  EXPECT_EQ(lines.row({{{"abcdefgh"}, {"1"}}}), "abcdefgh  1\n");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
