#include "verification/claims/engine/power.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace normproof::verification::claims::engine {
namespace {

/// Returns an injected error: relu adds delta to its result.
InjectedError relu_plus_delta() {
  return {"relu + δ", [](double delta) {
            TestedImplementation subject;
            subject.relu = [delta](ref::tensor::Tensor<double> x) {
              for (double& v : x) v += delta;
              return x;
            };
            return subject;
          }};
}

/// Returns the claim "relu(0) is at most `allowed`" with this expected verdict.
Claim make_upper_bound_claim(double allowed, Verdict expected) {
  return {.id = "Z1", .expected = expected, .check = [allowed](const Run& run) {
            EXPECT_FALSE(run.shrinks);
            const auto y = run.subject.relu(ref::tensor::full_tensor<double>({1}, 0));
            Evidence e;
            e.cases = 1;
            e.observed = y.data()[0] <= allowed ? Verdict::holds : Verdict::refuted;
            return e;
          }};
}

TEST(SmallestDetectedError, IsFoundByBisection) {
  EXPECT_EQ(smallest_rejected_error(make_upper_bound_claim(0x1p-101, Verdict::holds),
                                    relu_plus_delta(), {}),
            0x1p-100);
  // Above 2^-40 the threshold is found to an eighth of an octave: 0.3 lies between 9/32 and 5/16.
  EXPECT_EQ(
      smallest_rejected_error(make_upper_bound_claim(0.3, Verdict::holds), relu_plus_delta(), {}),
      0.3125);
}

TEST(SmallestDetectedError, IsInfiniteIfNoErrorIsDetected) {
  EXPECT_TRUE(std::isinf(
      smallest_rejected_error(make_upper_bound_claim(2, Verdict::holds), relu_plus_delta(), {})));
  EXPECT_TRUE(std::isinf(
      smallest_rejected_error(make_upper_bound_claim(0, Verdict::refuted), relu_plus_delta(), {})));
}

}  // namespace
}  // namespace normproof::verification::claims::engine
