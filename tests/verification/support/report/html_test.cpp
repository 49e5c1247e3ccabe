#include "verification/support/report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "tests/verification/support/report/sample_document.hpp"
#include "verification/support/report/html_style.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Html, PageIsSelfContained) {
  const std::string page = html(sample_document());
  EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>\n"), HasSubstr("<title>a &lt; b</title>"),
                          HasSubstr(std::string(html_style()))));
  for (const char* foreign : {"<script", "<link", "<img", "@import", "src=", "http"})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
}

TEST(Html, EveryElementIsClosed) {
  std::string page = html(sample_document());
  page = page.substr(page.find("<body>"));
  page = page.substr(0, page.find("</html>"));
  for (std::size_t at = 0; (at = page.find("<br>")) != std::string::npos;)
    page.replace(at, 4, "<br/>");
  for (std::size_t at = 0; (at = page.find("<details open>")) != std::string::npos;)
    page.replace(at, 14, "<details>");
  pugi::xml_document document;
  EXPECT_STREQ(document.load_string(page.c_str()).description(), "No error");
}

TEST(Html, RendersEveryKindOfPart) {
  EXPECT_THAT(
      html(sample_document()),
      AllOf(HasSubstr("<h2>a &lt; b &amp; *c*</h2>"), HasSubstr("<p>one\ntwo</p>"),
            HasSubstr("<p class=\"outcome bad\">it &lt;failed&gt;</p>"),
            HasSubstr("<ul>\n<li>first_one</li>"), HasSubstr("<pre>x --y &lt;z&gt;</pre>"),
            HasSubstr("<section class=\"problem\"><p><b>FAILED</b> <code>quick/a</code></p>"),
            HasSubstr("<pre>redo --only &#39;a&#39;</pre>"), HasSubstr("<svg/>"),
            HasSubstr("There is no picture here: it&#39;s gone."), Not(HasSubstr("f.svg"))));
}

TEST(Html, ColumnOfSentencesGetsExtraWidth) {
  const Table table{"", text_columns({"a", "b"}), {{{{std::string(41, 'x')}, {"y"}}}}};
  EXPECT_THAT(html({"", {table}}), AllOf(HasSubstr("<th scope=\"col\" class=\"long\">a</th>"),
                                         HasSubstr("<th scope=\"col\">b</th>")));
}

TEST(Html, TableScrollsInsideItsFrame) {
  const std::string page = html(sample_document());
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("<p class=\"caption\">of|things</p>\n<div class=\"wide\" tabindex=\"0\" "
                      "role=\"region\" aria-label=\"of|things\"><table><thead>"),
            HasSubstr("<th scope=\"col\" class=\"number\">count</th>"),
            HasSubstr("<td class=\"number\" data-label=\"count\">1,000</td>"),
            HasSubstr("<tr class=\"bad\" id=\"row-2\">"),
            HasSubstr("<td class=\"bad number\" data-label=\"count\">7</td>"),
            HasSubstr("data-label=\"name\" title=\"why &lt;so&gt;\">long name</td>"),
            HasSubstr("<b>Title</b><br>words that go on and on<div class=\"note\">a note</div>"
                      "<details open><summary>more</summary><dl><dt>term</dt><dd>1 &lt; 2</dd></dl>"
                      "</details></td>"),
            HasSubstr("<details><summary>folded</summary><div class=\"wide\""),
            HasSubstr("<table class=\"stacks\">")));
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
