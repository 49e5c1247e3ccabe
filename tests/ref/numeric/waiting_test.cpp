#include "ref/numeric/waiting.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace normproof::ref::numeric {
namespace {

TEST(Waiting, ReturnsAtOnceIfTheConditionHolds) {
  Waiting waiting;
  waiting.wait_until([] { return true; });
}

// When the second change comes, the other thread is asleep.
TEST(Waiting, WakesAnyNumberOfSleepers) {
  Waiting waiting;
  std::atomic<int> step{0}, seen{0};
  const auto wait = [&] {
    for (int wanted = 1; wanted <= 2; ++wanted) {
      waiting.wait_until([&] { return step >= wanted; });
      ++seen;
    }
  };
  std::thread first(wait), second(wait);
  for (int wanted = 1; wanted <= 2; ++wanted) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(seen, 2 * (wanted - 1));
    step = wanted;
    waiting.wake();
    while (seen < 2 * wanted) std::this_thread::yield();
  }
  first.join();
  second.join();
}

// Two threads that pass one number back and forth must not lose a change, whether they spin or
// sleep.
TEST(Waiting, LosesNoChange) {
  Waiting waiting;
  std::atomic<int> turn{0};
  constexpr int kTurns = 20000;
  const auto run_player = [&](int own) {
    for (int i = own; i < kTurns; i += 2) {
      waiting.wait_until([&] { return turn == i; });
      if (i % 1000 < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      turn = i + 1;
      waiting.wake();
    }
  };
  std::thread even(run_player, 0), odd(run_player, 1);
  even.join();
  odd.join();
  EXPECT_EQ(turn, kTurns);
}

}  // namespace
}  // namespace normproof::ref::numeric
