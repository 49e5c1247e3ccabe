#pragma once

#include <atomic>
#include <chrono>

namespace normproof::ref::numeric {

/// How long a thread that waits looks before it sleeps, beyond the first looks, which are for who
/// comes at once: to wake one that sleeps takes longer than the work between two calls often does.
/// Where a look comes late, something else wants the processor, as a neighbour or more threads than
/// processors: then nobody looks on for a while. A matter of speed alone.
class LockWait {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = Time::duration;

  /// Whether to look on at `now`, for one that began to wait at `began` and looked last at `last`.
  bool looks_on(Time began, Time last, Time now) {
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
