#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/program_run.hpp"

// Runs `normproof golden bless`.
namespace normproof::tests::verification::cli::golden {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class GoldenBless : public ::testing::Test {
 protected:
  GoldenBless() : enter_("unset CI; cd '" + folder_.path().string() + "'; ") {
    EXPECT_EQ(in("$N golden make --out g --only 'quick/layer_norm/r*'").status, 0);
  }
  Outcome in(const std::string& command) const { return run(enter_ + command); }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST_F(GoldenBless, ShowsTheDifferenceAndRecordsTheReason) {
  const Outcome outcome =
      in("$N golden bless --golden g --only 'quick/[bl]*_norm/[nr]*' --reason 'the other layers "
         "join'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("added quick/batch_norm/"),
                                 HasSubstr(" added, 0 removed, 0 changed\n"),
                                 EndsWith("g: blessed: the other layers join\n")));
  EXPECT_THAT(in("cat g/BLESSINGS.jsonl").out, HasSubstr("\"the other layers join\""));
  const Outcome again =
      in("$N golden bless --golden g --only 'quick/[bl]*_norm/[nr]*' --reason why");
  EXPECT_EQ(again.out, "g: nothing differs\n");
  EXPECT_EQ(in("wc -l < g/BLESSINGS.jsonl").out, "2\n");  // that of make, and the new one
}

TEST_F(GoldenBless, ChangesNothingWithoutAReasonOrInCI) {
  const Outcome silent = in("$N golden bless --golden g --only 'quick/*/r*'");
  EXPECT_EQ(silent.status, 2);
  EXPECT_THAT(silent.err, HasSubstr("no --reason is given, and standard input is no terminal"));
  const Outcome empty =
      in("$N golden bless --golden g --only 'quick/[bl]*_norm/[nr]*' --reason ' '");
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("--reason is ' '; expected a sentence"));
  const Outcome ci = in("CI=1 $N golden bless --golden g --reason because");
  EXPECT_EQ(ci.status, 2);
  EXPECT_THAT(ci.err, HasSubstr("the environment variable CI is set"));
  EXPECT_EQ(in("ls -A; ls -A g").out, "g\nBLESSINGS.jsonl\nSHA256SUMS\nmanifest.json\nquick\n");
}

TEST_F(GoldenBless, RejectsADamagedCaseOrAMissingCorpus) {
  EXPECT_EQ(in("$N golden bless --golden nope --reason because").status, 3);
  EXPECT_EQ(in("ls -A").out, "g\n");
  ASSERT_EQ(in("rm g/quick/layer_norm/random-3x5x6-float64/expected.safetensors").status, 0);
  const Outcome outcome = in("$N golden bless --golden g --only 'quick/layer_norm/r*' --reason x");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("random-3x5x6-float64/expected.safetensors"));
}

TEST_F(GoldenBless, RejectsAnAlteredCorpus) {
  ASSERT_EQ(in("sed -i 's/\"random\"/\"ransom\"/' g/manifest.json").status, 0);
  const Outcome outcome = in("$N golden bless --golden g --reason because");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("altered"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
