#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace normproof::ref::numeric {

/// Lets a thread wait for a condition that other threads make true. The thread first spins for 200
/// microseconds, because waking a sleeping thread often takes longer than the work between two
/// calls. Then it sleeps on a condition variable: if there are fewer processors than threads,
/// longer spinning would take the processor from a thread that has work to do.
class Waiting {
 public:
  /// Waits until is_so() returns true. is_so reads atomic variables.
  template <class Predicate>
  void wait_until(const Predicate& is_so) {
    if (spin_until(is_so, kFirstChecks)) return;
    for (const auto began = Clock::now(); Clock::now() - began < kMaxSpin;)
      if (spin_until(is_so, kChecksPerClockRead)) return;
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    changed_.wait(lock, is_so);
    sleepers_.fetch_sub(1);
  }

  /// Wakes the sleeping threads. It must be called after each change that makes the condition of a
  /// waiting thread true.
  void wake() {
    // fetch_add both writes and reads the counter. So either this call sees the sleeping thread, or
    // the sleeping thread sees the change made before this call.
    if (sleepers_.fetch_add(0) == 0) return;
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kMaxSpin = std::chrono::microseconds(200);
  static constexpr int kFirstChecks = 1000;        // take about 10 to 40 microseconds
  static constexpr int kChecksPerClockRead = 100;  // between two readings of the clock

  /// Checks the condition up to `most` times, until it is true. The result tells whether it became
  /// true.
  template <class Predicate>
  static bool spin_until(const Predicate& is_so, int most) {
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

  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace normproof::ref::numeric
