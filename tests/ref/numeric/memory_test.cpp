#include "ref/numeric/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <vector>

namespace normproof::ref::numeric {
namespace {

long faults_of_ten_steps() {
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < 10; ++i) {
    const std::vector<std::vector<double>> outputs(4, std::vector<double>(std::size_t{1} << 20, 1));
  }
  getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

TEST(KeepFreedMemory, LargeBlocksAreNotMappedAnew) {
#if !defined(__GLIBC__)
  GTEST_SKIP() << "the C library is not glibc";
#elif defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer has a malloc of its own";
#endif
  keep_freed_memory();
  faults_of_ten_steps();
  constexpr long kPagesOfOneStep = 4 * 2048;
  EXPECT_LT(faults_of_ten_steps(),
            kPagesOfOneStep);  // of ten steps, had each mapped its blocks anew
}

}  // namespace
}  // namespace normproof::ref::numeric
