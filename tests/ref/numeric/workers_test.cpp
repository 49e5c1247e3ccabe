#include "ref/numeric/workers.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace normproof::ref::numeric {
namespace {

double read_clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Restricts this thread, and those that it starts, to one processor.
void pin_to_this_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

enum class Alone { yes, no, hardly_at_work };

/// Returns whether a call that may use two threads on one processor eventually runs five times in a
/// row on the caller's thread alone. Each call is so long that the other thread would get a part of
/// it.
Alone wait_until_alone() {
  constexpr double kTask = 0.004, kPatience = 10;
  const std::thread::id caller = std::this_thread::get_id();
  const double began = read_clock_seconds(CLOCK_MONOTONIC);
  const double worked = read_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const auto elapsed = [&] { return read_clock_seconds(CLOCK_MONOTONIC) - began; };
  for (int alone = 0; elapsed() < kPatience;) {
    std::atomic<bool> others = false;
    run_tasks(4, 2, [&](std::size_t) {
      if (std::this_thread::get_id() != caller) others = true;
      const double end = read_clock_seconds(CLOCK_THREAD_CPUTIME_ID) + kTask;
      while (read_clock_seconds(CLOCK_THREAD_CPUTIME_ID) < end) continue;
    });
    alone = others ? 0 : alone + 1;
    if (alone == 5) return Alone::yes;
  }
  return read_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - worked < 0.7 * elapsed()
             ? Alone::hardly_at_work
             : Alone::no;
}

TEST(Workers, DoesNotUseThreadsThatDoNotHelp) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pin_to_this_processor();
    _exit(static_cast<int>(wait_until_alone()));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == static_cast<int>(Alone::hardly_at_work))
    GTEST_SKIP() << "other programs have most of the processor";
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Alone::yes));
}

TEST(Workers, RunsEveryTaskOnceAndWritesAreVisibleAfterwards) {
  for (const std::size_t threads : {1u, 2u, 3u, 7u})
    for (const std::size_t tasks : {0u, 1u, 2u, 5u, 1000u}) {
      std::vector<int> times(tasks, 0);
      run_tasks(tasks, threads, [&](std::size_t i) { ++times[i]; });
      EXPECT_EQ(times, std::vector<int>(tasks, 1)) << threads;
    }
}

// A thread that arrives late finds the next call, and must not run any of its tasks twice.
TEST(Workers, RunsManyShortCallsInARow) {
  std::vector<int> times(5, 0);
  constexpr int kCalls = 20000;
  for (int call = 0; call < kCalls; ++call)
    run_tasks(1 + static_cast<std::size_t>(call) % 5, 3, [&](std::size_t i) { ++times[i]; });
  EXPECT_EQ(times,
            (std::vector<int>{kCalls, kCalls / 5 * 4, kCalls / 5 * 3, kCalls / 5 * 2, kCalls / 5}));
}

// Threads that arrive late must not take tasks of the next call.
TEST(Workers, RunsManyShortCallsWithMoreThreadsThanProcessors) {
  std::vector<std::atomic<int>> times(5);
  constexpr int kCalls = 5000;
  for (int call = 0; call < kCalls; ++call)
    run_tasks(1 + static_cast<std::size_t>(call) % 5, 16, [&](std::size_t i) { ++times[i]; });
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_EQ(times[i], kCalls / 5 * (5 - static_cast<int>(i))) << i;
}

TEST(Workers, OtherThreadsTakePart) {
  reset_help_meter();
  std::atomic<int> present{0};
  run_tasks(3, 3, [&](std::size_t) {
    ++present;
    while (present < 3) std::this_thread::yield();
  });
  EXPECT_EQ(present, 3);
}

// The others run all tasks except the first, which waits for them.
TEST(Workers, ADelayedThreadLeavesItsTasksToOthers) {
  reset_help_meter();
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

TEST(Workers, UsesNoMoreThreadsThanRequested) {
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

TEST(Workers, NestedTasksRunInOrderOnTheSameThread) {
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

TEST(Workers, ConcurrentCallersEachGetTheirTasksRun) {
  std::vector<std::thread> callers;
  std::vector<std::vector<int>> times(4, std::vector<int>(50, 0));
  for (auto& own : times)
    callers.emplace_back([&own] {
      for (int call = 0; call < 200; ++call)
        run_tasks(own.size(), 2, [&](std::size_t i) { ++own[i]; });
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& own : times) EXPECT_EQ(own, std::vector<int>(50, 200));
}

TEST(Workers, AForkedProcessStartsItsOwnThreads) {
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
