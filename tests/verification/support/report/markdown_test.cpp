#include "verification/support/report/markdown.hpp"

#include <gtest/gtest.h>

#include "tests/verification/support/report/sample_document.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;

TEST(Markdown, RendersEveryKindOfPart) {
  EXPECT_EQ(markdown(sample_document()),
            "## a < b & \\*c\\*\n\n"
            "one two\n\n"
            "it &lt;failed>\n\n"
            "- first_one\n- - second\n\n"
            "```\nx --y <z>\n```\n\n"
            "**FAILED** `quick/a`\n\n- y is &lt;absent>\n\n```\nredo --only 'a'\n```\n\n"
            "**of|things**\n\n"
            "| name | count | what |\n|---|---:|---|\n"
            "| ψ | 1,000 | plain text |\n"
            "| long name | 7 | Title<br>words that go on and on<br>a note |\n\n"
            "**folded**\n\n| name | count | what |\n|---|---:|---|\n\n"
            "![seen](f.svg)\n\nseen\n\n"
            "There is no picture here: it's gone.\n\nunseen\n");
}

TEST(Markdown, EscapesOnlyCharactersThatMarkdownInterprets) {
  for (const char* plain : {"a_b and grad_x", "1 < 2 & 3 > 2", "n * m", "[0, 3]", "|nu|", "it's",
                            "a - b", "x = (1, 2)", "psi^2 ~ 1", "~ about"})
    EXPECT_EQ(escape_markdown(plain), plain);
  EXPECT_EQ(escape_markdown("*a* _b_ `c` ~d~"), "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~");
  EXPECT_EQ(escape_markdown("<b> </b> <!-- <?x &lt; &#1;"),
            "&lt;b> &lt;/b> &lt;!-- &lt;?x &amp;lt; &amp;#1;");
  EXPECT_EQ(escape_markdown("[a](b) [c][d]"), "[a\\](b) [c\\][d]");
  EXPECT_EQ(escape_markdown("a\\*b\\c"), "a\\\\\\*b\\c");
  EXPECT_EQ(escape_markdown("two\nlines"), "two lines");
}

TEST(Markdown, EscapesCharactersThatWouldStartAListOrHeading) {
  const auto paragraph = [](const char* text) { return markdown({"", {Paragraph{text}}}); };
  EXPECT_EQ(paragraph("# a"), "\\# a\n");
  EXPECT_EQ(paragraph("- a"), "\\- a\n");
  EXPECT_EQ(paragraph("---"), "\\---\n");
  EXPECT_EQ(paragraph("-1 is less"), "-1 is less\n");
  EXPECT_EQ(paragraph("> a"), "\\> a\n");
}

TEST(Markdown, EnclosesCodeInALongerFenceThanItContains) {
  const auto code = [](const char* text) { return markdown({"", {Code{text}}}); };
  EXPECT_EQ(code("a `b` ``c``"), "```\na `b` ``c``\n```\n");
  EXPECT_EQ(code("```\nx\n```"), "````\n```\nx\n```\n````\n");
  EXPECT_EQ(code("`````"), "``````\n`````\n``````\n");
  EXPECT_EQ(markdown({"", {Problem{"FAILED", "a", {"b"}, "check('```')"}}}),
            "**FAILED** `a`\n\n- b\n\n````\ncheck('```')\n````\n");
}

TEST(Markdown, EscapesBarsInsideTableCells) {
  const Table table{"", {{"|a|"}}, {{{{"b|c"}}}}};
  EXPECT_EQ(markdown({"", {table}}), "| \\|a\\| |\n|---|\n| b\\|c |\n");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
