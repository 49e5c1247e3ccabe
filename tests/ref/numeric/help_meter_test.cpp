#include "ref/numeric/help_meter.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::numeric {
namespace {

using std::chrono::milliseconds;

/// Simulates parallel calls for HelpMeter, which decides whether other threads make calls faster.
class HelpMeterTest : public ::testing::Test {
 protected:
  /// Records calls of one millisecond each, which use `processor` of processor time, until 1/part
  /// of the window of the meter is over.
  void add_window(std::chrono::microseconds processor, int part = 1) {
    for (auto taken = HelpMeter::Duration(0); taken < HelpMeter::kWindow / part;
         taken += milliseconds(1)) {
      EXPECT_TRUE(meter_.helps(now_));
      now_ += milliseconds(1);
      meter_.record_call(now_, milliseconds(1), processor);
    }
  }
  /// Advances the time until other threads are used again. Returns the time that passed.
  HelpMeter::Duration duration_alone() {
    HelpMeter::Duration alone(0);
    for (; !meter_.helps(now_); now_ += milliseconds(1)) alone += milliseconds(1);
    return alone;
  }

  HelpMeter meter_;
  HelpMeter::Time now_{std::chrono::hours(1)};
};

TEST_F(HelpMeterTest, UsesOtherThreadsBeforeTheFirstMeasurement) {
  EXPECT_TRUE(meter_.helps({}));
}

TEST_F(HelpMeterTest, UsesOtherThreadsWhileTheyHelp) {
  for (const int processor : {2000, 1600, 1060}) {
    add_window(std::chrono::microseconds(processor));
    EXPECT_EQ(duration_alone(), milliseconds(0)) << processor;
  }
}

TEST_F(HelpMeterTest, BacksOffForLongerEachTimeThreadsDoNotHelp) {
  add_window(std::chrono::microseconds(1040));
  EXPECT_EQ(duration_alone(), milliseconds(0)) << "one window";
  int part = 1;
  for (const int alone : {400, 800, 1600, 3200, 3200}) {
    add_window(std::chrono::microseconds(1040), part);
    EXPECT_EQ(duration_alone(), milliseconds(alone));
    part = 2;
  }
  add_window(std::chrono::microseconds(1900), part);  // the other process has ended
  EXPECT_EQ(duration_alone(), milliseconds(0));
  add_window(std::chrono::microseconds(900));
  EXPECT_EQ(duration_alone(), milliseconds(0));
  add_window(std::chrono::microseconds(900));
  EXPECT_EQ(duration_alone(), HelpMeter::kAloneCalls);
}

TEST_F(HelpMeterTest, IgnoresSingleSlowCalls) {
  for (int call = 0; call < 100; ++call) {
    now_ += milliseconds(1);
    meter_.record_call(now_, milliseconds(1),
                       std::chrono::microseconds(call % 5 == 0 ? 900 : 1900));
    EXPECT_TRUE(meter_.helps(now_)) << call;
  }
}

TEST_F(HelpMeterTest, IgnoresASingleLongInterruption) {
  for (int call = 0; call < 100; ++call) {
    now_ += milliseconds(call == 20 ? 45 : 1);
    meter_.record_call(now_, milliseconds(call == 20 ? 45 : 1), std::chrono::microseconds(1800));
    EXPECT_TRUE(meter_.helps(now_)) << call;
  }
}

TEST_F(HelpMeterTest, DecidesOnlyAfterEnoughCalls) {
  for (int call = 1; call <= 2 * HelpMeter::kCalls; ++call) {
    now_ += HelpMeter::kWindow;
    meter_.record_call(now_, HelpMeter::kWindow, HelpMeter::kWindow);
    EXPECT_EQ(meter_.helps(now_), call < 2 * HelpMeter::kCalls) << call;
  }
}

TEST_F(HelpMeterTest, IgnoresCallsWhoseThreadsMostlySleep) {
  for (int window = 0; window < 2; ++window) add_window(std::chrono::microseconds(490));
  EXPECT_EQ(duration_alone(), milliseconds(0));
  for (int window = 0; window < 2; ++window) add_window(std::chrono::microseconds(510));
  EXPECT_EQ(duration_alone(), HelpMeter::kAloneCalls);
}

}  // namespace
}  // namespace normproof::ref::numeric
