#include "verification/cli/verify/verify_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/cli/verify/sample_report.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;
using normproof::verification::checks::statistics::Stability;
using normproof::verification::support::report::display_width;
using testing::HasSubstr;
using testing::Not;

TEST(VerifyText, ClaimsAreRowsWithTheirEvidence) {
  const std::string text = verify_text(sample_report(), 100);
  EXPECT_THAT(
      text, HasSubstr("A1     holds                 proved    1,000   0.25  ψ² ≥ σ² where x < y"));
  EXPECT_THAT(text, HasSubstr("B12    refuted, as expected  tested    1,200    inf  γ/ψ <= 1\n"));
  EXPECT_THAT(text, HasSubstr("       dropped: γ <= ψ\n       counterexample: x = (1, <2>)\n"));
  EXPECT_THAT(text, HasSubstr("(seed 7)"));
}

TEST(VerifyText, UnexpectedResultsAreShownInFull) {
  const std::string text = verify_text(failing_report(), 80);
  EXPECT_THAT(text, HasSubstr("UNEXPECTED: refuted"));
  EXPECT_THAT(text, HasSubstr("has to be cut or\n       broken in any terminal"));
  EXPECT_THAT(text, HasSubstr("counterexample: x = (3)\n       and a detail\n"));
  EXPECT_THAT(text, HasSubstr("its check threw: \"no\""));
}

TEST(VerifyText, LinesFitTheWidth) {
  for (const auto& report : {sample_report(), failing_report()}) {
    for (const std::size_t width : {80u, 100u, 150u}) {
      std::istringstream lines(verify_text(report, width));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(display_width(line), width) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
    }
  }
  // A narrower terminal is treated as one of 80 columns.
  EXPECT_EQ(verify_text(sample_report(), 10), verify_text(sample_report(), 80));
}

TEST(VerifyText, UnstableLayersAreShownInTheStatistics) {
  Report report = sample_report();
  std::string text = verify_text(report, 100);
  EXPECT_THAT(text, HasSubstr("a<b>.txt"));
  EXPECT_THAT(text, HasSubstr("9 sentences"));
  EXPECT_THAT(text, HasSubstr("stable"));
  EXPECT_THAT(text, HasSubstr("the same bits for any [PAD]"));
  EXPECT_THAT(text, Not(HasSubstr("ERROR")));
  EXPECT_THAT(text, Not(HasSubstr("WARNING")));
  for (auto& followed : report.statistics.followed) {
    if (!followed.is_power_norm) continue;
    const bool decides = followed.scenario.decides;
    followed.stability = {.stability = Stability::error, .first_above_one = 3, .first_error = 4};
    EXPECT_THAT(verify_text(report, 100),
                HasSubstr(decides ? "ERROR from step 4" : "diverges from step 4"));
    followed.stability.stability = Stability::warning;
    EXPECT_THAT(verify_text(report, 100), HasSubstr("WARNING from step 3"));
    followed.stability = {};
  }
  report.statistics.padding_is_inert = false;
  EXPECT_THAT(verify_text(report, 100), HasSubstr("ERROR: with the mask"));
}

TEST(VerifyText, SensitivitiesAreATableIfMeasured) {
  EXPECT_THAT(verify_text(sample_report(), 100), Not(HasSubstr("\nPower\n")));
  const std::string text = verify_text(sample_report_with_sensitivities(), 100);
  EXPECT_THAT(text, HasSubstr("A1     proved    grad_x × (1 + δ): from δ = 2^-150 on\n"));
  EXPECT_THAT(text, HasSubstr("B12    tested    y + δ: not even δ = 1\n"));
}

TEST(VerifyText, ShowsCounterexamplesOfCheckers) {
  Report report = sample_report_with_sensitivities();
  EXPECT_THAT(verify_text(report, 100), Not(HasSubstr("A1_square")));
  report.checkers[1] = {
      .name = "smt",
      .what = "instances",
      .state = CheckerReport::State::passed,
      .summary = "2 instances",
      .items = {{"B9", "refuted", "n = 3: x1 = 1/8", true}, {"B1", "holds", "n = 3", true}}};
  const std::string text = verify_text(report, 100);
  EXPECT_THAT(text, HasSubstr("B9     refuted  n = 3: x1 = 1/8\n"));
  EXPECT_THAT(text, Not(HasSubstr("B1     holds")));
}

TEST(EvidenceMarkdown, HasOneRowPerClaim) {
  const std::string text = evidence_markdown(sample_report_with_sensitivities());
  EXPECT_THAT(
      text,
      HasSubstr("| A1 | holds & more | holds | proved | A1_square | grad_x × (1 + δ): from δ = "
                "2^-150 on; in the draws: y × (1 + δ): from δ = 0.062 on |"));
  EXPECT_THAT(text,
              HasSubstr("| B12 | is false | refuted, as expected | tested | no theorem yet | "));
}

TEST(VerifyPage, ShowsCheckers) {
  const std::string html = verify_page(sample_report_with_sensitivities());
  EXPECT_THAT(html, HasSubstr("normproof verify --proofs: passed: 1 theorem about 1 claim"));
  EXPECT_THAT(html, HasSubstr("A1_square, squares.v: &lt;no axiom&gt;"));
  EXPECT_THAT(html, HasSubstr("normproof verify --smt: skipped: z3 not installed"));
  EXPECT_THAT(html, HasSubstr("from δ = 2^-150 on"));
  EXPECT_THAT(verify_page(sample_report()), Not(HasSubstr("Checked by another program")));
}

TEST(VerifyText, ShowsAnEnclosureOfTheSlopeOfEachLayer) {
  Report report = sample_report();
  for (auto& slope : report.statistics.slopes) {
    const double size = slope.layer == "dyt" ? 0.5 : 1.5 + static_cast<double>(slope.step);
    slope.at = {size - 1e-3, size, size + 1};
    slope.around = {0, 2 * size, 3 * size};
  }
  const std::string text = verify_text(report, 100);
  EXPECT_THAT(text, HasSubstr("over 3 of the batches"));
  EXPECT_THAT(text, HasSubstr("layer         formula              value  at most  attained  "
                              "within 1  its bound\n"));
  EXPECT_THAT(text, HasSubstr("power_norm    |gamma|/running psi    8.5      7.5     7.499     "
                              "   15       22.5\n"));
  EXPECT_THAT(text, HasSubstr("dyt           |alpha gamma|          1.5      0.5     0.499     "
                              "    1        1.5\n"));
}

TEST(VerifyText, EndsWithTheSummaryLine) {
  const std::string text = verify_text(failing_report(), 100);
  EXPECT_TRUE(text.ends_with(closing_line(failing_report()) + "\n"));
}

TEST(VerifyPage, PageIsSelfContained) {
  const std::string html = verify_page(sample_report());
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  for (const char* foreign : {"<script", "<link", "<img", "@import", "src="})
    EXPECT_THAT(html, Not(HasSubstr(foreign)));
  // The only addresses are names of XML namespaces.
  std::string rest = html;
  for (std::size_t at = 0; (at = rest.find("http://www.w3.org/")) != std::string::npos;)
    rest.erase(at, 18);
  EXPECT_THAT(rest, Not(HasSubstr("http")));
}

TEST(VerifyPage, ShowsEveryClaimWithItsEvidence) {
  const std::string html = verify_page(sample_report());
  EXPECT_THAT(html, HasSubstr("<tr id=\"claim-A1\">"));
  EXPECT_THAT(html,
              HasSubstr("<td class=\"expected\" data-label=\"verdict\">refuted, as expected</td>"));
  EXPECT_THAT(html, HasSubstr("<div class=\"note\">dropped: γ &lt;= ψ</div>"));
  EXPECT_THAT(html, HasSubstr("<div class=\"note\">counterexample: x = (1, &lt;2&gt;)</div>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"good\" data-label=\"evidence\">proved</td>"));
  EXPECT_THAT(html, HasSubstr("A1_square (squares.v): for every &lt;n&gt;"));
  EXPECT_THAT(html, HasSubstr("outcome good"));
}

TEST(VerifyPage, HighlightsUnexpectedResults) {
  const std::string html = verify_page(failing_report());
  EXPECT_THAT(html, HasSubstr("<tr class=\"bad\" id=\"claim-A1\">"));
  EXPECT_THAT(html, HasSubstr("<details open>"));
  EXPECT_THAT(html, HasSubstr("outcome bad"));
  EXPECT_THAT(html, HasSubstr("threw: &quot;no&quot;"));
}

TEST(VerifyPage, EverythingIsEscaped) {
  const std::string html = verify_page(sample_report());
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;.txt"));
  EXPECT_THAT(html, Not(HasSubstr("a<b>.txt")));
  EXPECT_THAT(html, HasSubstr("<b>holds &amp; more</b>"));
  EXPECT_THAT(html, HasSubstr("where x &lt; y"));
}

TEST(VerifyPage, ElementsAreClosedAndIdsUnique) {
  for (const Report& report : {sample_report(), failing_report()}) {
    const std::string html = verify_page(report);
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

TEST(VerifyPage, MessageReplacesThePicturesIfGnuplotIsMissing) {
  const tests::ref::io::TemporaryFolder empty;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", empty.path().c_str(), 1);
  const std::string html = verify_page(sample_report());
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
  EXPECT_THAT(html, HasSubstr("There is no picture here: gnuplot is not installed."));
  EXPECT_THAT(html, HasSubstr("claim-A1"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
