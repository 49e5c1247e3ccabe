#pragma once

#include <chrono>

namespace normproof::ref::numeric {

/// Whether other threads help: by the time that calls took with them, beside the processor time of
/// all who worked on them, which is what one thread would have taken. Where a neighbour is busy on
/// one of two processors, a thread that the system holds up there keeps the others waiting longer
/// than it helped: then no other is asked for a while, and again after that. A matter of speed
/// alone: no bit depends on who works.
class HelpMeter {
 public:
  using Duration = std::chrono::nanoseconds;
  using Time = std::chrono::steady_clock::time_point;

  /// Whether to ask others now.
  bool helps(Time now) const { return now >= alone_until_; }

  /// What a call that others were asked for has taken: from its start to its end at `now`, and of
  /// the processors, by all threads together.
  void learn(Time now, Duration elapsed, Duration processor);

  /// Calls are looked at together until they are so many and have taken so long. Two such windows
  /// in turn have to say that others do not help: the first ones of a process touch its memory. Of
  /// those who did not help before, one half as long is enough.
  static constexpr int kCalls = 8;
  static constexpr Duration kWindow = std::chrono::milliseconds(30);
  /// How long nobody is asked, at first; twice as long each time that it was right, up to
  /// kMostAlone.
  static constexpr Duration kAlone = std::chrono::milliseconds(400);
  static constexpr Duration kMostAlone = std::chrono::milliseconds(3200);

 private:
  Time alone_until_{};
  Duration elapsed_{0}, processor_{0};
  int calls_ = 0;
  bool in_doubt_ = false;
  Duration alone_ = kAlone;
};

}  // namespace normproof::ref::numeric
