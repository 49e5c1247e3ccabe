#pragma once

#include <chrono>

namespace normproof::ref::numeric {

/// Measures whether more threads make calls faster. It compares the elapsed time of calls with the
/// processor time of all threads, which estimates what one thread would have taken. If another
/// process is busy on one of two processors, a thread delayed there makes the others wait longer
/// than it helped. Then calls run on one thread for a while before threads are tried again. This
/// affects only the speed, never the bits.
class HelpMeter {
 public:
  using Duration = std::chrono::nanoseconds;
  using Time = std::chrono::steady_clock::time_point;

  /// Whether to use other threads now.
  bool helps(Time now) const { return now >= alone_until_; }

  /// Records a call that used other threads and ended at `now`: its elapsed time, and the processor
  /// time of all threads together.
  void record_call(Time now, Duration elapsed, Duration processor);

  /// Calls are judged in windows of at least kCalls calls and kWindow time. Threads are judged
  /// useless only after two such windows in a row, because the first calls of a process are slow
  /// while they touch new memory. If they were useless before, a window half as long is enough.
  static constexpr int kCalls = 8;
  static constexpr Duration kWindow = std::chrono::milliseconds(30);
  /// How long calls run on one thread at first. The time doubles each time that this was right, up
  /// to `kMaxAlone`.
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
