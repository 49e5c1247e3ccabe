#include "gpu/ops/simulated_mma.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::gpu::ops {
namespace {

TEST(SimulatedMma, MatchesChainsOfFmaOnEveryInstructionSet) {
  const ref::numeric::RandomStream stream(1, "simulated_mma");
  std::uint64_t drawn = 0;
  const auto draw = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = stream.normal(drawn++);
    return values;
  };
  const std::vector<double> a = draw(kSimulatedDepth * kSimulatedRow);
  const std::vector<double> b = draw(kSimulatedDepth * kSimulatedRow);
  const std::vector<double> before = draw(kSimulatedPieces * kSimulatedPieces * 2);
  for (const std::string& set : ref::numeric::instruction_sets()) {
    ref::numeric::select_instruction_set(set);
    std::vector<double> after = before;
    simulated_mma()(a.data(), b.data(), after.data());
    for (std::size_t n = 0; n < before.size(); ++n) {
      const std::size_t i = n / 2 / kSimulatedPieces, j = n / 2 % kSimulatedPieces;
      double chain = before[n];
      for (std::size_t k = 0; k < kSimulatedDepth; ++k)
        chain = std::fma(a[k * kSimulatedRow + i * 8], b[k * kSimulatedRow + j * 8 + n % 2], chain);
      EXPECT_EQ(after[n], chain) << set << ", number " << n;
    }
  }
}

}  // namespace
}  // namespace normproof::gpu::ops
