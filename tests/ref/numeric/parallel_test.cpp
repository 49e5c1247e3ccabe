#include "ref/numeric/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace normproof::ref::numeric {
namespace {

class ParallelFor : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(1); }
};

TEST_F(ParallelFor, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    for (const std::size_t count : {0u, 1u, 2u, 5u, 1000u}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(visits[i], 1) << count << " " << i;
    }
  }
}

TEST_F(ParallelFor, LimitsTheNumberOfRangesByTheGrainSize) {
  set_num_threads(8);
  std::atomic<int> ranges{0};
  parallel_for(100, 40, [&](std::size_t, std::size_t) { ++ranges; });
  EXPECT_EQ(ranges, 2);
}

TEST_F(ParallelFor, PassesExceptionsToTheCaller) {
  set_num_threads(4);
  const auto body = [](std::size_t begin, std::size_t) {
    if (begin == 0) throw std::runtime_error("the first range");
  };
  EXPECT_THROW(parallel_for(100, 1, body), std::runtime_error);
}

// The second range throws before the first range does.
TEST_F(ParallelFor, PassesTheExceptionOfTheFirstRangeIfSeveralThrow) {
  set_num_threads(2);
  std::atomic<bool> thrown{false};
  try {
    parallel_for(2, 1, [&](std::size_t begin, std::size_t) {
      if (begin == 1) {
        thrown = true;
        throw std::runtime_error("second");
      }
      for (int looks = 0; !thrown && looks < 1000000; ++looks) std::this_thread::yield();
      throw std::runtime_error("first");
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST_F(ParallelFor, TreatsFewerThanOneThreadAsOne) {
  set_num_threads(-3);
  EXPECT_EQ(num_threads(), 1);
}

}  // namespace
}  // namespace normproof::ref::numeric
