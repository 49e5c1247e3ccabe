#include "ref/numeric/workers.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace normproof::ref::numeric {
namespace {

TEST(RunTasks, RunsEveryTaskOnceAndItsWritesAreVisibleAfterwards) {
  for (const std::size_t threads : {1u, 2u, 3u, 7u})
    for (const std::size_t tasks : {0u, 1u, 2u, 5u, 1000u}) {
      std::vector<int> run_counts(tasks, 0);
      run_tasks(tasks, threads, [&](std::size_t i) { ++run_counts[i]; });
      EXPECT_EQ(run_counts, std::vector<int>(tasks, 1)) << threads;
    }
}

// A thread that wakes up late finds the next call already running. No task may run twice.
TEST(RunTasks, RunsManyShortCallsInARow) {
  std::vector<int> run_counts(5, 0);
  constexpr int kCallCount = 20000;
  for (int call = 0; call < kCallCount; ++call)
    run_tasks(1 + static_cast<std::size_t>(call) % 5, 3, [&](std::size_t i) { ++run_counts[i]; });
  EXPECT_EQ(run_counts, (std::vector<int>{kCallCount, kCallCount / 5 * 4, kCallCount / 5 * 3,
                                          kCallCount / 5 * 2, kCallCount / 5}));
}

// With 16 threads, many threads wake up late. No task may run twice.
TEST(RunTasks, RunsManyShortCallsWithMoreThreadsThanProcessors) {
  std::vector<std::atomic<int>> run_counts(5);
  constexpr int kCallCount = 5000;
  for (int call = 0; call < kCallCount; ++call)
    run_tasks(1 + static_cast<std::size_t>(call) % 5, 16, [&](std::size_t i) { ++run_counts[i]; });
  for (std::size_t i = 0; i < run_counts.size(); ++i)
    EXPECT_EQ(run_counts[i], kCallCount / 5 * (5 - static_cast<int>(i))) << i;
}

TEST(RunTasks, UsesOtherThreads) {
  std::atomic<int> present{0};
  run_tasks(3, 3, [&](std::size_t) {
    ++present;
    while (present < 3) std::this_thread::yield();
  });
  EXPECT_EQ(present, 3);
}

// The first task waits until the other threads have run all other tasks.
TEST(RunTasks, OtherThreadsRunTheTasksOfADelayedThread) {
  for (const std::size_t threads : {2u, 3u}) {
    std::atomic<int> done{0};
    run_tasks(100, threads, [&](std::size_t i) {
      if (i == 0)
        while (done < 99) std::this_thread::yield();
      ++done;
    });
    EXPECT_EQ(done, 100);
  }
}

TEST(RunTasks, UsesNoMoreThreadsThanRequested) {
  run_tasks(64, 5, [](std::size_t) {});  // now that many threads exist
  std::atomic<int> at_work{0}, most{0};
  run_tasks(200, 2, [&](std::size_t) {
    const int now = ++at_work;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) continue;
    std::this_thread::yield();
    --at_work;
  });
  EXPECT_LE(most, 2);
}

TEST(RunTasks, NestedTasksRunInOrderOnTheSameThread) {
  std::vector<std::vector<std::size_t>> order(4);
  run_tasks(4, 2, [&](std::size_t i) {
    const auto own = std::this_thread::get_id();
    run_tasks(3, 2, [&](std::size_t k) {
      EXPECT_EQ(std::this_thread::get_id(), own);
      order[i].push_back(k);
    });
  });
  for (const auto& tasks : order) EXPECT_EQ(tasks, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(RunTasks, RunsTheTasksOfConcurrentCallers) {
  std::vector<std::thread> callers;
  std::vector<std::vector<int>> run_counts(4, std::vector<int>(50, 0));
  for (auto& own : run_counts)
    callers.emplace_back([&own] {
      for (int call = 0; call < 200; ++call)
        run_tasks(own.size(), 2, [&](std::size_t i) { ++own[i]; });
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& own : run_counts) EXPECT_EQ(own, std::vector<int>(50, 200));
}

TEST(RunTasks, AForkedProcessStartsItsOwnThreads) {
  run_tasks(8, 2, [](std::size_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> present{0};
    run_tasks(2, 2, [&](std::size_t) {
      ++present;
      while (present < 2) std::this_thread::yield();
    });
    _exit(present == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace normproof::ref::numeric
