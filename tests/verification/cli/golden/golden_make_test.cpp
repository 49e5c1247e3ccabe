#include "verification/cli/golden/golden_make.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::golden {
namespace {

using tool::golden::GoldenMakeCommand;
using Tier = normproof::verification::golden::corpus::Tier;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(GoldenMakeOptions, ParsesEveryOptionAndHasDefaults) {
  const auto plain = parse_command<GoldenMakeCommand>({"--out", "d"});
  EXPECT_EQ(plain.out, "d");
  EXPECT_THAT(plain.tiers, ElementsAre(Tier::quick));
  EXPECT_EQ(plain.only, "*");
  EXPECT_EQ(plain.jobs, tool::processor_count());
  const auto full = parse_command<GoldenMakeCommand>(
      {"--tier", "full,quick", "--only=*/layer_norm/*", "--jobs", "3", "--out=d"});
  EXPECT_THAT(full.tiers, ElementsAre(Tier::full, Tier::quick));
  EXPECT_EQ(full.only, "*/layer_norm/*");
  EXPECT_EQ(full.jobs, 3);
}

TEST(GoldenMakeOptions, EachErrorIsReportedInOneSentence) {
  const auto refused = [](const Arguments& more, const std::string& what) {
    Arguments arguments = {"--out", "d"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(refusal<GoldenMakeCommand>(arguments), HasSubstr(what));
  };
  EXPECT_THAT(refusal<GoldenMakeCommand>({}), HasSubstr("--out is required; expected DIR: "));
  EXPECT_THAT(refusal<GoldenMakeCommand>({"--out", ""}),
              HasSubstr("--out is ''; expected the name of a folder"));
  refused({"x"}, "unexpected argument 'x' of make");
  refused({"--tier", "quikc"}, "did you mean 'quick'?");
  refused({"--tier", "quick,,full"}, "--tier is 'quick,,full'; expected names");
  refused({"--tier", ""}, "--tier is ''");
  refused({"--tier", "full,full"}, "--tier names full twice; expected once");
  refused({"--jobs", "0"}, "--jobs is '0'; expected a whole number from 1 to");
  refused({"--oly", "x"}, "did you mean '--only'?");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
