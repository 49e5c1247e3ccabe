#include "ref/numeric/help_meter.hpp"

#include <algorithm>

namespace normproof::ref::numeric {

void HelpMeter::record_call(Time now, Duration elapsed, Duration processor) {
  // Limits the effect of one long interruption, such as a suspended machine, which says nothing
  // about other processes.
  elapsed_ += std::min(elapsed, 4 * processor);
  processor_ += processor;
  const int part = alone_ > kAloneCalls ? 2 : 1;
  if (++calls_ < kCalls / part || elapsed_ < kWindow / part) return;
  // If the threads worked for less than half of the time, the measurement does not show what one
  // thread would take. Either they slept in a task, or they have less than half a processor.
  const bool at_work = 2 * processor_ >= elapsed_;
  // Other threads count as useful only if they save at least 1/20 of the time.
  if (!at_work || 20 * elapsed_ <= 19 * processor_) {
    in_doubt_ = false;
    alone_ = kAloneCalls;
  } else if (!in_doubt_) {
    in_doubt_ = true;
  } else {
    alone_until_ = now + alone_;
    alone_ = std::min(2 * alone_, kMaxAlone);
  }
  elapsed_ = processor_ = Duration(0);
  calls_ = 0;
}

}  // namespace normproof::ref::numeric
