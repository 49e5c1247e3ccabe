#include "verification/golden/museum/slice_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/golden/gate/check.hpp"
#include "verification/golden/museum/exhibit_runs.hpp"

namespace normproof::verification::golden::museum {
namespace {

/// Returns an exhibit without a bug, for the operation `op`.
Exhibit make_exhibit_without_bug(const char* op, bool centred) {
  return {"right",
          "owner/project#1",
          "nothing",
          "nothing",
          op,
          std::nullopt,
          [centred](const Case& c, const KernelEnvironment&) {
            return run_slice_kernel(c, {.centred = centred});
          }};
}

// Every norm exhibit modifies this kernel. Unmodified, it must pass the gate.
TEST(SliceKernel, IsCorrectWithoutABug) {
  for (const auto& [op, centred] :
       {std::pair("layer_norm", true), std::pair("rms_norm", false), std::pair("group_norm", true),
        std::pair("instance_norm", true), std::pair("batch_norm", true)}) {
    const std::vector<ExhibitResult> visits =
        run_exhibits({make_exhibit_without_bug(op, centred)}, {});
    ASSERT_EQ(visits.size(), 1u);
    EXPECT_FALSE(visits[0].found()) << op << ": " << visits[0].case_path << visits[0].named;
    EXPECT_GT(visits[0].cases, 20u) << op;
    EXPECT_GT(visits[0].closest, 0) << op;
  }
}

TEST(SliceKernel, IsWrongIfOneOfItsPartsIsWrong) {
  Exhibit exhibit = make_exhibit_without_bug("instance_norm", true);
  exhibit.run = [](const Case& c, const KernelEnvironment&) {
    return run_slice_kernel(c, {.scale = [](double x_hat, double) { return x_hat; }});
  };
  EXPECT_TRUE(run_exhibits({exhibit}, {})[0].found());
}

}  // namespace
}  // namespace normproof::verification::golden::museum
