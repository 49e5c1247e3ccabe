#include "verification/cli/progress_bar.hpp"

#include <gtest/gtest.h>

#include "verification/support/report/text.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::verification::support::report::display_width;

TEST(ProgressBar, FillsFromEmptyToFull) {
  EXPECT_EQ(progress_line("checking", 0, 4, "A1", 100),
            "checking [" + std::string(30, '.') + "] 0/4 A1");
  EXPECT_EQ(progress_line("checking", 2, 4, "A1", 100),
            "checking [" + std::string(15, '#') + std::string(15, '.') + "] 2/4 A1");
  EXPECT_EQ(progress_line("checking", 4, 4, "A1", 100),
            "checking [" + std::string(30, '#') + "] 4/4 A1");
  EXPECT_EQ(progress_line("x", 0, 0, "", 100), "x [" + std::string(30, '#') + "] 0/0 ");
}

TEST(ProgressBar, FitsTheWidthOfTheTerminal) {
  EXPECT_EQ(display_width(progress_line("checking claims", 3, 60, "B12", 20)), 20u);
}

TEST(ProgressBar, WritesNothingIfStandardErrorIsNotATerminal) {
  testing::internal::CaptureStderr();
  {
    ProgressBar bar;
    bar.show("checking", 1, 2, "A1");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
