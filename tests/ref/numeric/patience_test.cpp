#include "ref/numeric/patience.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::numeric {
namespace {

using std::chrono::microseconds;

class LockWaitTest : public ::testing::Test {
 protected:
  /// Whether a thread keeps spinning if it has waited for the time `waited` and last checked its
  /// condition a microsecond ago.
  bool keeps_spinning(LockWait::Duration waited) {
    return lock_wait_.keeps_spinning(now_ - waited, now_ - microseconds(1), now_);
  }

  LockWait lock_wait_;
  LockWait::Time now_{std::chrono::hours(1)};
};

TEST_F(LockWaitTest, SpinsForALimitedTime) {
  EXPECT_TRUE(keeps_spinning(microseconds(1)));
  EXPECT_TRUE(keeps_spinning(LockWait::kLong - microseconds(1)));
  EXPECT_FALSE(keeps_spinning(LockWait::kLong));
  EXPECT_TRUE(keeps_spinning(microseconds(1))) << "who waits next is as patient";
}

TEST_F(LockWaitTest, ALateCheckStopsAllThreadsFromSpinningForAWhile) {
  EXPECT_FALSE(lock_wait_.keeps_spinning(now_ - LockWait::kLate, now_ - LockWait::kLate, now_));
  EXPECT_FALSE(keeps_spinning(microseconds(1)));
  now_ += LockWait::kShort - microseconds(1);
  EXPECT_FALSE(keeps_spinning(microseconds(1)));
  now_ += microseconds(1);
  EXPECT_TRUE(keeps_spinning(microseconds(1)));
}

}  // namespace
}  // namespace normproof::ref::numeric
