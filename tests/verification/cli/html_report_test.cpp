#include "verification/cli/html_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/cli/sample_report.hpp"
#include "verification/cli/html_style.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using testing::HasSubstr;
using testing::Not;

TEST(HtmlReport, NeedsNothingButItself) {
  const std::string html = html_report(sample_report());
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr(std::string(html_style())));
  for (const char* foreign : {"<script", "<link", "<img", "@import", "src="})
    EXPECT_THAT(html, Not(HasSubstr(foreign)));
  // The only addresses are names of XML namespaces.
  std::string rest = html;
  for (std::size_t at = 0; (at = rest.find("http://www.w3.org/")) != std::string::npos;)
    rest.erase(at, 18);
  EXPECT_THAT(rest, Not(HasSubstr("http")));
}

TEST(HtmlReport, ShowsEveryClaimWithItsEvidence) {
  const std::string html = html_report(sample_report());
  EXPECT_THAT(html, HasSubstr("<tr class=\"holds\" id=\"claim-A1\">"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"refuted\" id=\"claim-B12\">"));
  EXPECT_THAT(html, HasSubstr("dropped: γ &lt;= ψ"));
  EXPECT_THAT(html, HasSubstr("<dt>counterexample</dt><dd>x = (1, &lt;2&gt;)</dd>"));
  EXPECT_THAT(html, HasSubstr("outcome good"));
}

TEST(HtmlReport, WhatIsUnexpectedStandsOut) {
  const std::string html = html_report(failing_report());
  EXPECT_THAT(html, HasSubstr("<tr class=\"unexpected\" id=\"claim-A1\">"));
  EXPECT_THAT(html, HasSubstr("<details open>"));
  EXPECT_THAT(html, HasSubstr("outcome bad"));
  EXPECT_THAT(html, HasSubstr("threw: &quot;no&quot;"));
}

TEST(HtmlReport, EverythingIsEscaped) {
  const std::string html = html_report(sample_report());
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;.txt"));
  EXPECT_THAT(html, Not(HasSubstr("a<b>.txt")));
  EXPECT_THAT(html, HasSubstr("<b>holds &amp; more</b>"));
  EXPECT_THAT(html, HasSubstr("where x &lt; y"));
}

TEST(HtmlReport, ElementsAreClosedAndIdsUnique) {
  for (const Report& report : {sample_report(), failing_report()}) {
    const std::string html = html_report(report);
    static const std::regex tag(R"(<(/?)([a-z0-9]+)((?:[^>"]|"[^"]*")*?)(/?)>)");
    const std::set<std::string> empty = {"meta", "br"};
    std::vector<std::string> open;
    for (std::sregex_iterator it(html.begin() + 15, html.end(), tag), end; it != end; ++it) {
      const std::string name = (*it)[2];
      if (empty.contains(name) || (*it)[4].length() > 0) continue;
      if ((*it)[1].length() == 0) {
        open.push_back(name);
      } else {
        ASSERT_FALSE(open.empty()) << name;
        ASSERT_EQ(open.back(), name);
        open.pop_back();
      }
    }
    EXPECT_TRUE(open.empty());
    static const std::regex id(R"re( id="([^"]*)")re");
    std::set<std::string> seen;
    for (std::sregex_iterator it(html.begin(), html.end(), id), end; it != end; ++it)
      EXPECT_TRUE(seen.insert((*it)[1]).second) << (*it)[1];
    EXPECT_GT(seen.size(), 2u);
  }
}

TEST(HtmlReport, WithoutGnuplotItSaysSoInPlaceOfThePictures) {
  const tests::ref::io::TemporaryFolder empty;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", empty.path().c_str(), 1);
  const std::string html = html_report(sample_report());
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
  EXPECT_THAT(html, HasSubstr("There is no picture here: gnuplot is not installed."));
  EXPECT_THAT(html, HasSubstr("claim-A1"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
