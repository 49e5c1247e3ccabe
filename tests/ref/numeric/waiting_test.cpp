#include "ref/numeric/waiting.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace normproof::ref::numeric {
namespace {

TEST(WaitingUntilACondition, ReturnsAtOnceIfTheConditionHolds) {
  Waiting waiting;
  waiting.wait_until([] { return true; });
}

// Before each change, the waiting threads have had 20 ms to fall asleep.
TEST(WaitingUntilACondition, WakesEveryWaitingThread) {
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

// Two threads increment a number in turns. Neither may miss a change, whether it spins or sleeps.
TEST(WaitingUntilACondition, MissesNoChangeOfTheCondition) {
  Waiting waiting;
  std::atomic<int> turn{0};
  constexpr int kTurnCount = 20000;
  const auto run_player = [&](int own) {
    for (int i = own; i < kTurnCount; i += 2) {
      waiting.wait_until([&] { return turn == i; });
      if (i % 1000 < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      turn = i + 1;
      waiting.wake();
    }
  };
  std::thread even_player(run_player, 0), odd_player(run_player, 1);
  even_player.join();
  odd_player.join();
  EXPECT_EQ(turn, kTurnCount);
}

}  // namespace
}  // namespace normproof::ref::numeric
