#include "verification/cli/study_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::verification::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Document every_part() {
  return {DocumentHeading{2, "a < b"},
          DocumentParagraph{"one\ntwo"},
          DocumentCode{"x --y"},
          DocumentTable{"cap", {"h|1", "h2"}, {{{"c1", "failed", "why"}, {"c2"}}}, true},
          DocumentTable{"open", {"h"}, {}},
          DocumentFigure{"f.svg", {"<svg/>", ""}, "seen"},
          DocumentFigure{"g.svg", {"", "no gnuplot"}, "unseen"}};
}

TEST(StudyDocument, IsAPageThatNeedsNothingElse) {
  EXPECT_THAT(
      document_html("t", every_part()),
      AllOf(HasSubstr("<title>t</title>"), HasSubstr("<h2>a &lt; b</h2>"),
            HasSubstr("<pre>x --y</pre>"),
            HasSubstr("<td class=\"failed\" title=\"why\">c1</td><td>c2</td>"),
            HasSubstr("<details><summary>cap</summary>"), HasSubstr("<caption>open</caption>"),
            HasSubstr("<svg/>"), HasSubstr("There is no picture here: no gnuplot"),
            Not(HasSubstr("f.svg")), HasSubstr("@media print")));
}

TEST(StudyDocument, IsMarkdownWithItsPicturesBesideIt) {
  EXPECT_EQ(document_markdown(every_part()),
            "## a < b\n\none two\n\n```\nx --y\n```\n\n"
            "**cap**\n\n| h\\|1 | h2 |\n|---|---|\n| c1 | c2 |\n\n**open**\n\n| h |\n|---|\n\n"
            "![seen](f.svg)\n\nseen\n\nThere is no picture here: no gnuplot.\n\nunseen\n\n");
}

}  // namespace
}  // namespace normproof::verification::cli
