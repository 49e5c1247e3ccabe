#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "ref/numeric/patience.hpp"

namespace normproof::ref::numeric {

/// Lets threads wait for what others do. A thread looks for some microseconds, and for longer while
/// nothing else wants the processor, then sleeps: one that looked on would take the processor of
/// who has the work, where there are fewer processors than threads or a neighbour is busy on one.
class Waiting {
 public:
  /// Returns   once is_so(), of atomic variables, is true
  template <class Predicate>
  void wait_until(const Predicate& is_so) {
    if (looks_until(is_so, kFirstLooks)) return;
    const auto began = Clock::now();
    for (auto last = began, now = began; patience_.looks_on(began, last, now);) {
      if (looks_until(is_so, kLooksAtOnce)) return;
      last = std::exchange(now, Clock::now());
    }
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    changed_.wait(lock, is_so);
    sleepers_.fetch_sub(1);
  }

  /// To be called behind each change that makes a predicate true.
  void wake() {
    // Changed and read at once: either this sees the sleeper, or the sleeper sees what went before.
    if (sleepers_.fetch_add(0) == 0) return;
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kFirstLooks = 1000;  // 10 to 40 microseconds
  static constexpr int kLooksAtOnce = 100;  // between two times of the clock

  /// Whether it came true in so many looks.
  template <class Predicate>
  static bool looks_until(const Predicate& is_so, int most) {
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

  inline static LockWait patience_;  ///< of all who wait: they share the processors
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace normproof::ref::numeric
