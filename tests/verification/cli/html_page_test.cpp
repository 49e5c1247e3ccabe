#include "verification/cli/html_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/cli/html_style.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(HtmlPage, HoldsItsStyle) {
  EXPECT_THAT(html_page("a < b", "<p>x</p>\n"),
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<title>a &lt; b</title>"),
                    HasSubstr(std::string(html_style())),
                    EndsWith("<body>\n<p>x</p>\n</body>\n</html>\n")));
}

TEST(HtmlPage, APictureOrWhyThereIsNone) {
  EXPECT_THAT(figure({"<svg/>", ""}, "a < b"),
              AllOf(HasSubstr("<svg/>"), HasSubstr("<figcaption>a &lt; b</figcaption>")));
  EXPECT_THAT(figure({"", "it's gone"}, "c"), HasSubstr("There is no picture here: it&#39;s gone"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
