#pragma once

#include <atomic>
#include <chrono>

namespace normproof::ref::numeric {

/// Decides how long a waiting thread spins before it sleeps. Waking a sleeping thread often takes
/// longer than the work between two calls. If a check comes late, something else needs the
/// processor, such as another process or more threads than processors; then no thread spins on for
/// a while. This affects only the speed.
class LockWait {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = Time::duration;

  /// Whether to keep spinning at `now`, for a thread that began to wait at `began` and last checked
  /// at `last`.
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
