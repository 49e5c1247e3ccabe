#include "ref/numeric/error_tape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::ref::numeric {
namespace {

constexpr std::size_t kEnough = 1000000;

class ErrorTapeInFloat32 : public ::testing::Test {
  const AnyOrderArithmetic arithmetic_{arithmetic_of_type(FloatType::float32)};
};

double distance(float candidate, const oracle100& exact) {
  const oracle100 off = oracle100(candidate) - exact;
  return to_double(off < 0 ? oracle100(-off) : off);
}

/// Rotates the point (u, v) `times` times. The coefficients are numbers of float32, and the length
/// of the point changes by less than 2^-24 in each rotation.
template <class T>
std::vector<T> rotate(T u, T v, int times) {
  const T c(0.8F), s(0.6F);
  for (int i = 0; i < times; ++i) {
    const T next = c * u - s * v;
    v = s * u + c * v;
    u = next;
  }
  return {u, v};
}

// The largest amplification of a rotation is |c| + |s| = 1.4, and its true amplification is 1.
TEST_F(ErrorTapeInFloat32, FollowsTheDerivativeAndNotTheLargestAmplifications) {
  constexpr int kTimes = 40;
  ErrorTape tape(kEnough, kEnough);
  const auto bounds = rotate<any_order_error>(0.3F, 0.7F, kTimes);
  const auto candidate = rotate<float>(0.3F, 0.7F, kTimes);
  const auto exact = rotate<oracle100>(0.3F, 0.7F, kTimes);
  for (std::size_t i = 0; i < 2; ++i) {
    const double bound = tape.bound(bounds[i]);
    EXPECT_LE(distance(candidate[i], exact[i]), bound);
    EXPECT_LE(bound, kTimes * 0x1p-20);
    EXPECT_GE(bounds[i].error, 1000 * bound);
  }
}

TEST_F(ErrorTapeInFloat32, TakesTheErrorOfANumberTheSameInAllItsUses) {
  ErrorTape tape(kEnough, kEnough);
  const any_order_error third = any_order_error(1) / any_order_error(3);
  EXPECT_LE(tape.bound(third * any_order_error(4) - third * any_order_error(4)), 0x1p-20);
  const any_order_error sum = third + any_order_error(1e6F) + third;
  // The sum is rounded once, so that this difference has no error but that of its two products.
  const any_order_error difference = sum * any_order_error(3) - sum * any_order_error(3);
  EXPECT_LE(tape.bound(difference), 1.01 * (2 * 4 + 1) * 0x1p-24 * 3e6);
  EXPECT_GE(difference.error, 1.4 * tape.bound(difference));
  EXPECT_LE(tape.bound(-third - -third), 3 * 0x1p-24);
}

TEST_F(ErrorTapeInFloat32, CoversSumsInAnyOrder) {
  const RandomStream random(5, "terms");
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<float> terms;
    terms.reserve(50);
    for (std::size_t i = 0; i < 50; ++i)
      terms.push_back(static_cast<float>(random.normal(50 * static_cast<std::size_t>(repeat) + i)));
    ErrorTape tape(kEnough, kEnough);
    any_order_error sum = 0;
    oracle100 exact = 0;
    float forwards = 0, backwards = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      sum += any_order_error(terms[i]);
      exact += oracle100(terms[i]);
      forwards += terms[i];
      backwards += terms[terms.size() - 1 - i];
    }
    const double bound = tape.bound(sum);
    EXPECT_LE(distance(forwards, exact), bound);
    EXPECT_LE(distance(backwards, exact), bound);
    // A sum has no other operations, so that the derivative says no more.
    EXPECT_LE(sum.error, 1.001 * bound);
  }
}

/// A function of two numbers in each scalar type that the test needs.
struct TestedFunction {
  const char* name;
  std::function<float(float, float)> candidate;
  std::function<any_order_error(const any_order_error&, const any_order_error&)> bound;
  std::function<oracle100(const oracle100&, const oracle100&)> exact;
};

// The arguments are sums of random numbers, so that they have errors themselves.
TEST_F(ErrorTapeInFloat32, CoversEveryOperation) {
  using A = any_order_error;
  using O = oracle100;
  const TestedFunction functions[] = {
      {"product", [](float a, float b) { return a * b; }, [](A a, A b) { return a * b; },
       [](O a, O b) { return O(a * b); }},
      {"square", [](float a, float) { return a * a; }, [](A a, A) { return a * a; },
       [](O a, O) { return O(a * a); }},
      {"quotient", [](float a, float b) { return a / b; }, [](A a, A b) { return a / b; },
       [](O a, O b) { return O(a / b); }},
      {"half", [](float a, float) { return a / -2; }, [](A a, A) { return a / A(-2); },
       [](O a, O) { return O(a / -2); }},
      {"root", [](float a, float b) { return std::sqrt(a * a + b * b); },
       [](A a, A b) { return square_root(a * a + b * b); },
       [](O a, O b) { return square_root(O(a * a + b * b)); }},
      {"exp", [](float a, float b) { return std::exp(a) - b; }, [](A a, A b) { return exp(a) - b; },
       [](O a, O b) { return O(exp(a) - b); }},
      {"log", [](float a, float) { return std::log(a * a); }, [](A a, A) { return log(a * a); },
       [](O a, O) { return log(O(a * a)); }},
      {"tanh", [](float a, float b) { return std::tanh(a) * b; },
       [](A a, A b) { return tanh(a) * b; }, [](O a, O b) { return O(tanh(a) * b); }},
      {"erf", [](float a, float b) { return std::erf(a) * b; }, [](A a, A b) { return erf(a) * b; },
       [](O a, O b) { return O(erf(a) * b); }},
      {"clamp", [](float a, float b) { return std::clamp(a, -0.5F, 0.5F) * b; },
       [](A a, A b) { return clamp(a, A(-0.5F), A(0.5F)) * b; },
       [](O a, O b) {
         return O((a < -0.5 ? O(-0.5) : a > 0.5 ? O(0.5) : a) * b);
       }}};
  const RandomStream random(6, "operands");
  for (const TestedFunction& f : functions) {
    double largest_ratio = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      const auto number = [&](std::size_t k) {
        return static_cast<float>(random.normal(4 * i + k));
      };
      ErrorTape tape(kEnough, kEnough);
      const any_order_error bound =
          f.bound(any_order_error(number(0)) * any_order_error(number(1)),
                  any_order_error(number(2)) + any_order_error(number(3)));
      const float candidate = f.candidate(number(0) * number(1), number(2) + number(3));
      const oracle100 exact = f.exact(oracle100(number(0)) * oracle100(number(1)),
                                      oracle100(number(2)) + oracle100(number(3)));
      const double tight = tape.bound(bound);
      EXPECT_LE(distance(candidate, exact), tight) << f.name << " " << i;
      EXPECT_LE(tight, 1.1 * bound.error) << f.name << " " << i;
      largest_ratio = std::max(largest_ratio, distance(candidate, exact) / tight);
    }
    EXPECT_GT(largest_ratio, 0.05) << f.name;
  }
}

TEST_F(ErrorTapeInFloat32, CountsUnrecordedNumbersWithTheirError) {
  const any_order_error before = any_order_error(1) / any_order_error(3);
  any_order_error of_thread;
  std::thread([&] {
    const AnyOrderArithmetic arithmetic(arithmetic_of_type(FloatType::float32));
    of_thread = any_order_error(1) / any_order_error(7);
  }).join();
  ErrorTape tape(kEnough, kEnough);
  for (const any_order_error& x : {before, of_thread, any_order_error(2, 0x1p-10)}) {
    const double bound = tape.bound(x * any_order_error(1.5F));
    EXPECT_GE(bound, 1.5 * x.error);
    EXPECT_LE(bound, 1.5 * x.error + 5 * 0x1p-24 * 3);
  }
}

TEST_F(ErrorTapeInFloat32, KnowsNoBoundIfItIsFull) {
  ErrorTape tape(2, kEnough);
  any_order_error x = 1.5F;
  for (int i = 0; i < 3; ++i) x *= any_order_error(0.7F);
  EXPECT_TRUE(std::isinf(tape.bound(x)));
}

TEST_F(ErrorTapeInFloat32, FollowsTheOperationsOneByOneAfterItsLastVisit) {
  ErrorTape tape(kEnough, 4);
  any_order_error x = 1.5F;
  for (int i = 0; i < 3; ++i) x *= any_order_error(0.7F);
  const any_order_error sum = x + x + x + x;
  EXPECT_LE(tape.bound(sum), sum.error);
  EXPECT_GE(tape.bound(sum), 0.9 * sum.error);
}

TEST_F(ErrorTapeInFloat32, KnowsNoBoundIfAnOperationHasNone) {
  ErrorTape tape(kEnough, kEnough);
  const any_order_error zero = any_order_error(0.1F) - any_order_error(0.1F);
  EXPECT_TRUE(std::isinf(tape.bound(any_order_error(1) / (zero * any_order_error(0.3F)))));
}

TEST_F(ErrorTapeInFloat32, NestedTapesRecordOneAtATime) {
  ErrorTape outer(kEnough, kEnough);
  const std::size_t before = outer.nodes();
  {
    ErrorTape inner(kEnough, kEnough);
    EXPECT_EQ(ErrorTape::current(), &inner);
    (void)(any_order_error(1) / any_order_error(3));
  }
  EXPECT_EQ(ErrorTape::current(), &outer);
  EXPECT_EQ(outer.nodes(), before);
}

}  // namespace
}  // namespace normproof::ref::numeric
