#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "ref/numeric/patience.hpp"

namespace normproof::ref::numeric {

/// Lets threads wait for a condition that other threads make true. A thread spins for some
/// microseconds, or longer if nothing else needs the processor, then sleeps on a condition
/// variable. If there are fewer processors than threads, spinning on would take the processor from
/// the thread that has the work.
class Waiting {
 public:
  /// Returns once is_so(), which reads atomic variables, is true.
  template <class Predicate>
  void wait_until(const Predicate& is_so) {
    if (spins_until(is_so, kFirstChecks)) return;
    const auto began = Clock::now();
    for (auto last = began, now = began; patience_.keeps_spinning(began, last, now);) {
      if (spins_until(is_so, kChecksPerClockRead)) return;
      last = std::exchange(now, Clock::now());
    }
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    changed_.wait(lock, is_so);
    sleepers_.fetch_sub(1);
  }

  /// Wakes the sleeping threads. It must be called after each change that makes a predicate true.
  void wake() {
    // This both writes and reads the counter: either this call sees the sleeper, or the sleeper
    // sees the change made before the call.
    if (sleepers_.fetch_add(0) == 0) return;
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kFirstChecks = 1000;        // about 10 to 40 microseconds
  static constexpr int kChecksPerClockRead = 100;  // between two readings of the clock

  /// Whether the predicate became true within `most` checks.
  template <class Predicate>
  static bool spins_until(const Predicate& is_so, int most) {
    for (int looks = 0; looks < most; ++looks) {
      if (is_so()) return true;
      pause();
    }
    return false;
  }

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  /// Shared by all waiting threads, because they share the processors.
  inline static LockWait patience_;
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace normproof::ref::numeric
