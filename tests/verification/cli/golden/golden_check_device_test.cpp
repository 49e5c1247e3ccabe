#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/program_run.hpp"

// Runs `normproof golden check --device` on the committed corpus.
namespace normproof::tests::verification::cli::golden {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kCommitted =
    "$N golden check --golden '" NORMPROOF_SOURCE_DIR "/verification/golden/data' ";

TEST(GoldenCheckOnDevice, KernelsPassAndOptimizersAreDeclined) {
  const Outcome passed = run(std::string(kCommitted) +
                             "--device simulated --only 'quick/*/two_features-*' --only "
                             "'quick/softmax/n*-float32' --only 'quick/sgd/*'");
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("sgd: "));
  EXPECT_THAT(passed.out, HasSubstr("cases declined: the candidate does not offer them, such as "
                                    "quick/sgd/"));
  EXPECT_THAT(passed.out, HasSubstr(": the GPU path has no optimizers\n"));
  EXPECT_THAT(passed.out, HasSubstr("PASSED: "));
  const Outcome decoders =
      run(std::string(kCommitted) + "--device simulated --only 'quick/decoder_layer/*'");
  EXPECT_EQ(decoders.status, 0) << decoders.out << decoders.err;
  EXPECT_THAT(decoders.out, Not(HasSubstr("declined")));
  const Outcome whole =
      run(std::string(kCommitted) + "--device simulated --only 'quick/decoding/*'");
  EXPECT_THAT(whole.out, HasSubstr(": the GPU path answers no whole Transformers\n"));
}

TEST(GoldenCheckOnDevice, NormsIn32And16BitsPass) {
  const Outcome passed = run(std::string(kCommitted) +
                             "--device simulated --min-cases 220 --only 'quick/*layer_norm/*' "
                             "--only 'quick/*rms_norm/*'");
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  const Outcome strict = run(std::string(kCommitted) +
                             "--device simulated --accumulation float64 --only "
                             "'quick/layer_norm/random-3x5x6-float32'");
  EXPECT_EQ(strict.status, 1) << "sums in float64 were not asked of float32 kernels";
}

TEST(GoldenCheckOnDevice, ReportsOneSentenceIfThereIsNoGpu) {
  const Outcome cuda = run(std::string(kCommitted) + "--device cuda --only 'quick/dyt/*'");
  if (cuda.status == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(cuda.status, 77);
  EXPECT_TRUE(is_one_sentence(cuda.err)) << cuda.err;
  EXPECT_THAT(cuda.err, StartsWith("normproof: no device: "));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
