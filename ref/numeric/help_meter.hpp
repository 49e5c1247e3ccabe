#pragma once

#include <chrono>

namespace normproof::ref::numeric {

/// Measures whether calls are faster with several threads than with one. It compares the elapsed
/// time of calls with the processor time of all threads together, which estimates what one thread
/// would have taken. If another process occupies one of two processors, a thread that runs there is
/// delayed, and waiting for it costs more than it saves. Then calls run on one thread for a while,
/// before several threads are tried again. This affects only the speed, never the bits.
class HelpMeter {
 public:
  using Duration = std::chrono::nanoseconds;
  using Time = std::chrono::steady_clock::time_point;

  /// Whether calls should use other threads at the time `now`.
  bool helps(Time now) const { return now >= alone_until_; }

  /// Records a call that used other threads and ended at `now`. `elapsed` is the duration of the
  /// call, `processor` the processor time of all threads together.
  void record_call(Time now, Duration elapsed, Duration processor);

  /// The minimum number of calls, and their minimum total time, that are evaluated together as one
  /// window. Other threads are judged useless only after two such windows in a row, because the
  /// first calls of a process are slow while they touch new memory. If they were judged useless
  /// before, one window of half the time is enough.
  static constexpr int kCalls = 8;
  static constexpr Duration kWindow = std::chrono::milliseconds(30);
  /// How long calls run on one thread after the first judgment that other threads are useless. The
  /// time doubles with each further such judgment in a row, up to `kMaxAlone`.
  static constexpr Duration kAloneCalls = std::chrono::milliseconds(400);
  static constexpr Duration kMaxAlone = std::chrono::milliseconds(3200);

 private:
  Time alone_until_{};
  Duration elapsed_{0}, processor_{0};
  int calls_ = 0;
  bool in_doubt_ = false;
  Duration alone_ = kAloneCalls;
};

}  // namespace normproof::ref::numeric
