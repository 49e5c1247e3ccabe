#include "verification/golden/certify/for_each_in_parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace normproof::verification::golden::certify {
namespace {

TEST(ParallelForEach, VisitsEveryIndexOnceForAnyNumberOfJobs) {
  for (const int jobs : {1, 2, 7, 64}) {
    std::vector<std::atomic<int>> calls(50);
    for_each_in_parallel(calls.size(), jobs, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1) << jobs;
  }
  for_each_in_parallel(0, 3, [](std::size_t) { FAIL(); });
}

TEST(ParallelForEach, RunsJobsOnSeparateThreads) {
  // Each of the two tasks waits for the other. On a single thread they would wait forever.
  std::atomic<int> arrived{0};
  std::vector<std::thread::id> threads(2);
  for_each_in_parallel(2, 2, [&](std::size_t i) {
    threads[i] = std::this_thread::get_id();
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_NE(threads[0], threads[1]);
}

TEST(ParallelForEach, ThrowsTheErrorOfTheSmallestIndexAndStartsNoFurtherTask) {
  for (const int jobs : {1, 2, 8}) {
    std::mutex mutex;
    std::set<std::size_t> begun, failed;
    std::string message;
    try {
      for_each_in_parallel(1000, jobs, [&](std::size_t i) {
        const std::lock_guard lock(mutex);
        begun.insert(i);
        if (i < 3) return;
        failed.insert(i);
        throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    ASSERT_FALSE(failed.empty());
    EXPECT_EQ(message, std::to_string(*failed.begin()));
    EXPECT_LE(begun.size(), 3u + static_cast<std::size_t>(jobs));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::certify
