#include "verification/cli/golden_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/command_line.hpp"

namespace normproof::tests::verification::cli {
namespace {

namespace tool = normproof::verification::cli;
namespace corpora = normproof::verification::golden;
using Arguments = std::vector<std::string>;
using testing::ElementsAre;

template <class T>
T golden_parse(Arguments arguments) {
  arguments.insert(arguments.begin(), "golden");
  return std::get<T>(tool::parse_command_line(arguments));
}

TEST(GoldenCommandLine, MakeHasDefaultsAndTakesItsOptions) {
  const auto plain = golden_parse<tool::GoldenMakeCommand>({"make", "--out", "d"});
  EXPECT_EQ(plain.out, "d");
  EXPECT_THAT(plain.tiers, ElementsAre(corpora::corpus::Tier::quick));
  EXPECT_EQ(plain.only, "*");
  EXPECT_GE(plain.jobs, 1);
  const auto full = golden_parse<tool::GoldenMakeCommand>(
      {"make", "--tier", "full,quick", "--only=*/layer_norm/*", "--jobs", "3", "--out=d"});
  EXPECT_THAT(full.tiers, ElementsAre(corpora::corpus::Tier::full, corpora::corpus::Tier::quick));
  EXPECT_EQ(full.only, "*/layer_norm/*");
  EXPECT_EQ(full.jobs, 3);
}

TEST(GoldenCommandLine, CheckHasDefaultsAndTakesItsOptions) {
  const auto plain =
      golden_parse<tool::GoldenCheckCommand>({"check", "--golden", "g", "--candidate", "c"});
  EXPECT_EQ(plain.golden, "g");
  EXPECT_EQ(plain.candidate, "c");
  EXPECT_FALSE(plain.pipe || plain.xfail || plain.json || plain.junit || plain.sarif ||
               plain.markdown || plain.options.accumulation);
  EXPECT_EQ(plain.timeout, 60);
  EXPECT_EQ(plain.only, "*");
  EXPECT_TRUE(plain.options.outputs.empty());
  EXPECT_EQ(plain.min_cases, 1u);
  const auto full = golden_parse<tool::GoldenCheckCommand>(
      {"check",   "--golden",    "g",     "--pipe",    "./a b 'c'", "--timeout",
       "2",       "--only",      "*x*",   "--outputs", "y,grad_x",  "--accumulation",
       "float16", "--min-cases", "7",     "--xfail",   "x.txt",     "--json",
       "r.jsonl", "--junit",     "r.xml", "--sarif",   "r.sarif",   "--markdown",
       "r.md",    "--jobs",      "2",     "--formula", "one_pass"});
  EXPECT_EQ(full.pipe, "./a b 'c'");
  EXPECT_FALSE(full.candidate);
  EXPECT_EQ(full.timeout, 2);
  EXPECT_EQ(full.only, "*x*");
  EXPECT_THAT(full.options.outputs, ElementsAre("y", "grad_x"));
  EXPECT_EQ(full.options.accumulation, corpora::corpus::Accumulation::float16);
  EXPECT_EQ(full.options.formula, corpora::gate::Formula::one_pass);
  EXPECT_EQ(plain.options.formula, corpora::gate::Formula::two_pass);
  EXPECT_EQ(full.min_cases, 7u);
  EXPECT_EQ(full.xfail, "x.txt");
  EXPECT_EQ(full.json, "r.jsonl");
  EXPECT_EQ(full.junit, "r.xml");
  EXPECT_EQ(full.sarif, "r.sarif");
  EXPECT_EQ(full.markdown, "r.md");
  EXPECT_EQ(full.jobs, 2);
}

TEST(GoldenCommandLine, MistakesAreOneSentence) {
  const auto refused = [](Arguments arguments, const std::string& what) {
    arguments.insert(arguments.begin(), "golden");
    const std::string message =
        normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
            [&] { tool::parse_command_line(arguments); });
    EXPECT_THAT(message, testing::HasSubstr(what));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  const auto check_refused = [&](Arguments more, const std::string& what) {
    more.insert(more.begin(), {"check", "--golden", "g", "--candidate", "c"});
    refused(more, what);
  };
  refused({}, "no golden command is given; expected one of make, check");
  refused({"chekc"}, "unknown golden command 'chekc'; did you mean 'check'?");
  refused({"make", "x", "--out", "d"}, "unexpected argument 'x' of golden");
  refused({"make"}, "--out");
  refused({"make", "--out", ""}, "--out is ''; expected the name of a file");
  refused({"make", "--out", "d", "--tier", "quikc"}, "did you mean 'quick'?");
  refused({"make", "--out", "d", "--tier", "quick,,full"},
          "--tier is 'quick,,full'; expected names");
  refused({"make", "--out", "d", "--tier", ""}, "--tier is ''");
  refused({"make", "--out", "d", "--tier", "full,full"}, "--tier names full twice; expected once");
  refused({"make", "--out", "d", "--jobs", "0"},
          "--jobs is '0'; expected a whole number from 1 to");
  refused({"make", "--out", "d", "--oly", "x"}, "did you mean '--only'?");
  refused({"check", "--candidate", "c"}, "--golden");
  refused({"check", "--golden", "g"}, "neither --candidate nor --pipe is given; expected one of");
  refused({"check", "--golden", "g", "--pipe", ""}, "--pipe is ''; expected a command for sh");
  check_refused({"--pipe", "p"}, "--candidate and --pipe are both given; expected one of them");
  check_refused({"--formula", "onepass"}, "unknown formula 'onepass'; did you mean");
  check_refused({"--accumulation", "float31"}, "unknown accumulation 'float31'; did you mean");
  check_refused({"--outputs", "y,"}, "--outputs is 'y,'; expected names with commas between");
  check_refused({"--timeout", "0"}, "--timeout is '0'; expected a");
  check_refused({"--timeout", "2.5"}, "--timeout is '2.5'; expected a whole number from 1 to");
  check_refused({"--timeout", "nan"}, "--timeout is 'nan'");
  check_refused({"--timeout", "1s"}, "--timeout is '1s'");
  check_refused({"--min-cases", "0"}, "--min-cases is '0'; expected a whole number from 1 to");
  check_refused({"--min-cases", "-1"}, "--min-cases is '-1'");
  check_refused({"--xfail", ""}, "--xfail is ''; expected the name of a file");
  check_refused({"--jnuit", "x"}, "did you mean '--junit'?");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
