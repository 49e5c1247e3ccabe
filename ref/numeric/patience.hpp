#pragma once

#include <atomic>
#include <chrono>

namespace normproof::ref::numeric {

/// Decides how long a waiting thread spins before it sleeps. Spinning is worthwhile because waking
/// a sleeping thread often takes longer than the work between two calls. If a spinning thread is
/// interrupted, something else needs the processor, such as another process, or there are more
/// threads than processors. Then all threads spin only briefly for a while. This affects only the
/// speed.
class LockWait {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = Time::duration;

  /// Whether a thread should keep spinning at the time `now`. The thread began to wait at the time
  /// `began` and last checked at the time `last`.
  bool keeps_spinning(Time began, Time last, Time now) {
    if (now - last >= kLate) short_until_ = (now + kShort).time_since_epoch().count();
    return now - began < kLong && now.time_since_epoch().count() >= short_until_.load();
  }

  static constexpr Duration kLong = std::chrono::microseconds(200);
  static constexpr Duration kLate = std::chrono::microseconds(100);
  static constexpr Duration kShort = std::chrono::milliseconds(100);

 private:
  std::atomic<Duration::rep> short_until_{0};
};

}  // namespace normproof::ref::numeric
