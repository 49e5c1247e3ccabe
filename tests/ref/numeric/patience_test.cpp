#include "ref/numeric/patience.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::numeric {
namespace {

using std::chrono::microseconds;

class PatienceTest : public ::testing::Test {
 protected:
  /// Whether a thread keeps spinning that has waited for `waited` and last checked a microsecond
  /// ago.
  bool keeps_spinning(LockWait::Duration waited) {
    return patience_.keeps_spinning(now_ - waited, now_ - microseconds(1), now_);
  }

  LockWait patience_;
  LockWait::Time now_{std::chrono::hours(1)};
};

TEST_F(PatienceTest, SpinsForALimitedTime) {
  EXPECT_TRUE(keeps_spinning(microseconds(1)));
  EXPECT_TRUE(keeps_spinning(LockWait::kLong - microseconds(1)));
  EXPECT_FALSE(keeps_spinning(LockWait::kLong));
  EXPECT_TRUE(keeps_spinning(microseconds(1))) << "who waits next is as patient";
}

TEST_F(PatienceTest, ALateCheckStopsSpinningForAllThreadsForAWhile) {
  EXPECT_FALSE(patience_.keeps_spinning(now_ - LockWait::kLate, now_ - LockWait::kLate, now_));
  EXPECT_FALSE(keeps_spinning(microseconds(1)));
  now_ += LockWait::kShort - microseconds(1);
  EXPECT_FALSE(keeps_spinning(microseconds(1)));
  now_ += microseconds(1);
  EXPECT_TRUE(keeps_spinning(microseconds(1)));
}

}  // namespace
}  // namespace normproof::ref::numeric
