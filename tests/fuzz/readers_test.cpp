#include "tests/fuzz/readers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <ostream>
#include <set>

#include "tests/fuzz/mutator.hpp"

// Tests the same properties without libFuzzer, on a fixed set of altered files, with any compiler.
namespace normproof::tests::fuzz {

void PrintTo(const Reader& reader, std::ostream* out) {
  *out << reader.name;
}

namespace {

constexpr int kAlteredFileCount = 10'000;
constexpr std::size_t kMaxValidSeedBytes = 100'000;

std::string quote_first_bytes(const Bytes& bytes) {
  const std::size_t size = std::min<std::size_t>(bytes.size(), 2000);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

class Readers : public ::testing::TestWithParam<Reader> {
 protected:
  /// Returns whether the reader accepts the bytes. An exception of the reader fails the test.
  bool check_file(const Bytes& bytes) const {
    try {
      return GetParam().check_file(bytes);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << ": " << quote_first_bytes(bytes);
      return false;
    }
  }
};

TEST_P(Readers, AcceptValidSeedFilesAndRejectDeeplyNestedOnes) {
  for (const Bytes& seed : GetParam().seeds(NORMPROOF_GOLDEN))
    EXPECT_EQ(check_file(seed), seed.size() < kMaxValidSeedBytes) << quote_first_bytes(seed);
}

TEST_P(Readers, AcceptOrRejectAlteredFilesWithoutCrashing) {
  std::vector<Bytes> seeds = GetParam().seeds(NORMPROOF_GOLDEN);
  std::erase_if(seeds, [](const Bytes& seed) { return seed.size() > kMaxValidSeedBytes; });
  ASSERT_GE(seeds.size(), 20u);
  Mutator mutator(20261122);
  int taken = 0;
  for (int i = 0; i < kAlteredFileCount && !HasFailure(); ++i)
    taken += check_file(mutator.next(seeds)) ? 1 : 0;
  EXPECT_GT(taken, kAlteredFileCount / 1000);
  EXPECT_LT(taken, kAlteredFileCount / 2);
}

INSTANTIATE_TEST_SUITE_P(Of, Readers, ::testing::ValuesIn(readers().begin(), readers().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Mutator, SameSeedGivesTheSameDistinctFiles) {
  const std::vector<Bytes> seeds = {Bytes(100, std::byte{'a'}), Bytes(7, std::byte{'b'}), {}};
  Mutator a(1), b(1), c(2);
  std::set<Bytes> files;
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const Bytes file = a.next(seeds);
    EXPECT_EQ(file, b.next(seeds));
    differs = differs || file != c.next(seeds);
    files.insert(file);
  }
  EXPECT_TRUE(differs);
  EXPECT_GT(files.size(), 600u);
}

}  // namespace
}  // namespace normproof::tests::fuzz
