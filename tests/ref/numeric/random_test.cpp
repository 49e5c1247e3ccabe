#include "ref/numeric/random.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "ref/numeric/instruction_set.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::numeric {
namespace {

TEST(RandomStream, ReturnsTheNumbersDocumentedInTheHeader) {
  const RandomStream stream(42, "embedding");
  EXPECT_EQ(stream.bits(0), 0x01393fde411d92bcu);
  EXPECT_EQ(stream.bits(1), 0xa0559272dc13e37cu);
  EXPECT_BITS_EQ(stream.uniform(1), 0x1.40ab24e5b827cp-1);
  EXPECT_BITS_EQ(stream.normal(0), -0x1.b9d1e95ece8d2p-2);
  EXPECT_BITS_EQ(stream.normal(1), 0x1.3940566d486aep+0);
  EXPECT_EQ(stream.below(1, 1000), 626u);
  EXPECT_EQ(stream.bits(std::numeric_limits<std::uint64_t>::max()), 0xffa2082498c71c2fu);
}

TEST(RandomStream, UsesPhiloxWithThePublishedTestVectors) {
  // The known answer of Philox4x32-10 for counter 0 and key 0, from the test vectors of [SMDS11].
  const auto words = r123::Philox4x32{}({{0, 0, 0, 0}}, {{0, 0}});
  EXPECT_EQ(words[0], 0x6627e8d5u);
  EXPECT_EQ(words[1], 0xe169c58du);
  EXPECT_EQ(words[2], 0xbc57ac4cu);
  EXPECT_EQ(words[3], 0x9b00dbd8u);
}

// The counts are not multiples of the SIMD width. The upper word of the index changes within a SIMD
// vector. Some thresholds equal drawn numbers.
TEST(RandomStream, ArraysMatchSingleNumbersOnEveryInstructionSet) {
  const RandomStream stream(42 | std::uint64_t{7} << 50, "dropout/3/layers.0.attention.y");
  const std::string before = instruction_sets()[static_cast<std::size_t>(instruction_set())];
  for (const std::string& set : instruction_sets()) {
    select_instruction_set(set);
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xfffffffd},
                                      std::numeric_limits<std::uint64_t>::max() - 40})
      for (const std::size_t count : {0u, 1u, 3u, 7u, 8u, 9u, 37u})
        for (const double least : {0.0, 0.1, 0.5, stream.uniform(first + 2),
                                   std::nextafter(stream.uniform(first + 2), 1.0), 1.0}) {
          std::array<bool, 40> y{};
          y[count] = true;
          stream.at_least(least, first, count, y.data());
          for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(y[i], stream.uniform(first + i) >= least)
                << set << " " << first << " " << count << " " << least << " " << i;
          EXPECT_TRUE(y[count]) << set;
        }
  }
  select_instruction_set(before);
}

TEST(RandomStream, DependsOnlyOnSeedStreamAndIndex) {
  const RandomStream a(42, "embedding");
  const RandomStream b(43, "embedding");
  const RandomStream c(42, "dropout");
  const RandomStream d(42 | std::uint64_t{1} << 40, "embedding");
  const std::set<std::uint64_t> values{a.bits(7), b.bits(7), c.bits(7),
                                       d.bits(7), a.bits(8), a.bits(7 | std::uint64_t{1} << 40)};
  EXPECT_EQ(values.size(), 6u);
  const double last = a.normal(99);
  a.normal(3);
  EXPECT_BITS_EQ(a.normal(99), last);
}

// The moments and the tail of 2^20 numbers must lie within 2.5 standard errors of the values of the
// normal distribution. The stream is fixed, so the test always gives the same result.
TEST(RandomStream, NormalNumbersHaveTheMomentsOfTheNormalDistribution) {
  const RandomStream stream(2026, "moments");
  constexpr int kCount = 1 << 20;
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  int tail = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double z = stream.normal(i);
    sum += z;
    squares += z * z;
    fourths += z * z * z * z;
    tail += std::fabs(z) > 1.9599639845400545 ? 1 : 0;
  }
  const double n = kCount;
  const double standard_errors[] = {sum / n * std::sqrt(n), (squares / n - 1) * std::sqrt(n / 2),
                                    (fourths / n - 3) * std::sqrt(n / 96),
                                    (tail / n - 0.05) * std::sqrt(n / (0.05 * 0.95))};
  for (const double e : standard_errors) EXPECT_LE(std::fabs(e), 2.5);
}

TEST(RandomStream, UniformNumbersAreLessThanOne) {
  const RandomStream stream(1, "uniform");
  double least = 1;
  double most = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double u = stream.uniform(i);
    least = std::fmin(least, u);
    most = std::fmax(most, u);
  }
  EXPECT_GE(least, 0.0);
  EXPECT_LE(most, 1 - 0x1p-53);
  EXPECT_LE(least, 0x1p-13);
  EXPECT_GE(most, 1 - 0x1p-13);
}

TEST(RandomStream, RandomIntegersReachEveryNumberOfTheirRange) {
  const RandomStream stream(1, "below");
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 200; ++i) seen.insert(stream.below(i, 7));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace normproof::ref::numeric
