#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace normproof::ref::numeric {

/// Lets threads wait for what others do. A thread looks for some microseconds, then sleeps: one
/// that looked for longer would take the processor of who has the work, where there are fewer
/// processors than threads or a neighbour is busy on one.
class Waiting {
 public:
  /// Returns   once is_so(), of atomic variables, is true
  template <class Predicate>
  void wait_until(const Predicate& is_so) {
    for (int looks = 0; looks < kLooks; ++looks) {
      if (is_so()) return;
      pause();
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
  static constexpr int kLooks = 1000;  // 10 to 40 microseconds

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
