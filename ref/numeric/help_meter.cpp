#include "ref/numeric/help_meter.hpp"

#include <algorithm>

namespace normproof::ref::numeric {

void HelpMeter::learn(Time now, Duration elapsed, Duration processor) {
  // One long stop, as of the whole machine, is no neighbour.
  elapsed_ += std::min(elapsed, 4 * processor);
  processor_ += processor;
  const int part = alone_ > kAlone ? 2 : 1;
  if (++calls_ < kCalls / part || elapsed_ < kWindow / part) return;
  // Less than half of the time at work: who sleeps in a task, or has not half a processor, says
  // nothing of what one thread would take.
  const bool at_work = 2 * processor_ >= elapsed_;
  // Help that saves less than a twentieth is none.
  if (!at_work || 20 * elapsed_ <= 19 * processor_) {
    in_doubt_ = false;
    alone_ = kAlone;
  } else if (!in_doubt_) {
    in_doubt_ = true;
  } else {
    alone_until_ = now + alone_;
    alone_ = std::min(2 * alone_, kMostAlone);
  }
  elapsed_ = processor_ = Duration(0);
  calls_ = 0;
}

}  // namespace normproof::ref::numeric
