#include "ref/numeric/patience.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::numeric {
namespace {

using std::chrono::microseconds;

class PatienceTest : public ::testing::Test {
 protected:
  /// Whether a thread keeps spinning that has waited for `waited` and last checked a microsecond
  /// ago.
  bool looks_on(LockWait::Duration waited) {
    return patience_.looks_on(now_ - waited, now_ - microseconds(1), now_);
  }

  LockWait patience_;
  LockWait::Time now_{std::chrono::hours(1)};
};

TEST_F(PatienceTest, SpinsForALimitedTime) {
  EXPECT_TRUE(looks_on(microseconds(1)));
  EXPECT_TRUE(looks_on(LockWait::kLong - microseconds(1)));
  EXPECT_FALSE(looks_on(LockWait::kLong));
  EXPECT_TRUE(looks_on(microseconds(1))) << "who waits next is as patient";
}

TEST_F(PatienceTest, ALateCheckStopsSpinningForAllThreadsForAWhile) {
  EXPECT_FALSE(patience_.looks_on(now_ - LockWait::kLate, now_ - LockWait::kLate, now_));
  EXPECT_FALSE(looks_on(microseconds(1)));
  now_ += LockWait::kShort - microseconds(1);
  EXPECT_FALSE(looks_on(microseconds(1)));
  now_ += microseconds(1);
  EXPECT_TRUE(looks_on(microseconds(1)));
}

}  // namespace
}  // namespace normproof::ref::numeric
