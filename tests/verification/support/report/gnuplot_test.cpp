#include "verification/support/report/gnuplot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <pugixml.hpp>

#include "tests/ref/io/temporary_folder.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kScript = "plot '-' with linespoints title 'a < b'\n1 1\n2 4\ne\n";

bool has_gnuplot() {
  return std::system("gnuplot --version > /dev/null 2>&1") == 0;
}

/// Sets an environment variable. Restores it at the end of the scope.
class ScopedEnvironmentVariable {
 public:
  ScopedEnvironmentVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ScopedEnvironmentVariable(const ScopedEnvironmentVariable&) = delete;
  ScopedEnvironmentVariable& operator=(const ScopedEnvironmentVariable&) = delete;
  ~ScopedEnvironmentVariable() {
    if (old_.empty()) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, old_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string old_;
};

TEST(Gnuplot, DrawsSvgForUseInsideHtml) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Drawing drawing = draw(kScript, "one", "a picture", 400, 200);
  EXPECT_EQ(drawing.failure, "");
  EXPECT_THAT(drawing.svg, StartsWith("<svg"));
  EXPECT_THAT(drawing.svg, HasSubstr("viewBox=\"0 0 400 200\""));
  EXPECT_THAT(drawing.svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(drawing.svg, HasSubstr("<title>a picture</title>"));
  EXPECT_THAT(drawing.svg, Not(HasSubstr("<?xml")));
  EXPECT_THAT(drawing.svg, Not(HasSubstr("<script")));
  EXPECT_THAT(drawing.svg, Not(HasSubstr("xlink")));
  EXPECT_THAT(drawing.svg, Not(HasSubstr("id=\"gp")));
}

TEST(Gnuplot, OutputIgnoresLocaleAndUserSettings) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string plain = draw(kScript, "one", "a picture", 400, 200).svg;
  const tests::ref::io::TemporaryFolder home;
  std::ofstream(home / ".gnuplot") << "set title 'from the settings of the user'\n";
  const ScopedEnvironmentVariable folder("HOME", home.path().string());
  const ScopedEnvironmentVariable locale("LC_ALL", "C.UTF-8");
  const ScopedEnvironmentVariable terminal("GNUTERM", "dumb");
  EXPECT_EQ(draw(kScript, "one", "a picture", 400, 200).svg, plain);
}

TEST(Gnuplot, InvalidScriptReturnsTheMessageOfGnuplot) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Drawing drawing = draw("plot nonsense(\n", "one", "", 400, 200);
  EXPECT_EQ(drawing.svg, "");
  EXPECT_THAT(drawing.failure, StartsWith("gnuplot failed ("));
  EXPECT_THAT(drawing.failure, Not(HasSubstr("\n")));
}

TEST(Gnuplot, MissingGnuplotIsReported) {
  const tests::ref::io::TemporaryFolder empty;
  const ScopedEnvironmentVariable path("PATH", empty.path().string());
  const Drawing drawing = draw(kScript, "one", "", 400, 200);
  EXPECT_EQ(drawing.svg, "");
  EXPECT_EQ(drawing.failure, "gnuplot is not installed");
}

TEST(Gnuplot, IdsInThePictureHaveAPrefix) {
  const Drawing drawing = inline_svg(
      "<?xml version='1.0'?><!-- c --><svg width='4' height='5' viewBox='0 0 4 5'><title>t</title>"
      "<defs><g id='p'/></defs><use xlink:href='#p'/><path clip-path='url(#p)' "
      "font-family='Arial'/>"
      "</svg>",
      "two", "l & m");
  EXPECT_EQ(drawing.failure, "");
  EXPECT_EQ(drawing.svg,
            "<svg viewBox=\"0 0 4 5\" role=\"img\"><title>l &amp; m</title><defs>"
            "<g id=\"two-p\"/></defs><use href=\"#two-p\"/>"
            "<path clip-path=\"url(#two-p)\" font-family=\"sans-serif\"/></svg>");
  EXPECT_EQ(inline_svg("no svg", "two", "").failure, "gnuplot wrote no SVG");
  EXPECT_EQ(inline_svg("", "two", "").failure, "gnuplot wrote no SVG");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
