#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/contract.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/compare/scaled_bound.hpp"
#include "tests/verification/checks/compare/slope.hpp"

/// Test data and checks for the tests of softmax, activations and norms. The checks evaluate an
/// operation with scalar types other than double, for example with intervals or dual numbers.
namespace normproof::ref::ops {

using numeric::complex100;
using numeric::contract_message;
using numeric::dual;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using tensor::Mask;
using tensor::Shape;
using tensor::Tensor;
using verification::checks::compare::compare;

inline Tensor<double> random_tensor(const Shape& shape, std::string_view stream, double scale = 1) {
  const numeric::RandomStream random(8, stream);
  Tensor<double> t = tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = scale * random.normal(i);
  return t;
}

template <class T>
Tensor<T> convert_elements(const Tensor<double>& t) {
  return tensor::convert<T>(t);
}

inline Tensor<double> values(const Tensor<running_error>& t) {
  Tensor<double> result = tensor::empty_tensor<double>(tensor::shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i) result.data()[i] = t.data()[i].value;
  return result;
}

/// Adds numbers in the order of rule R2 of docs/specification/determinism.md: first in 32 lanes,
/// then the lanes in a tree.
inline double sum_in_32_lanes(const std::vector<double>& x) {
  double lane[32] = {};
  for (std::size_t i = 0; i < x.size(); ++i) lane[i % 32] += x[i];
  for (const std::size_t stride : {16u, 8u, 4u, 2u, 1u})
    for (std::size_t l = 0; l < stride; ++l) lane[l] += lane[l + stride];
  return lane[0];
}

inline void restore_default_settings() {
  numeric::set_num_threads(1);
  numeric::select_instruction_set(numeric::instruction_sets().back());
}

template <class F>
void expect_same_on_every_machine_setting(F&& f) {
  numeric::set_num_threads(1);
  numeric::select_instruction_set("baseline");
  const Tensor<double> expected = f();
  for (const auto& set : numeric::instruction_sets()) {
    numeric::select_instruction_set(set);
    for (const int threads : {1, 2, 5}) {
      numeric::set_num_threads(threads);
      EXPECT_BITS_EQ(f(), expected) << set << ", " << threads << " threads";
    }
  }
  restore_default_settings();
}

/// Checks that each interval or ball of `got` contains the exact value, and that it is narrow: its
/// endpoints, rounded to doubles, may be at most two units in the last place apart.
template <class T>
void expect_encloses(const Tensor<T>& got, const Tensor<oracle100>& exact) {
  ASSERT_EQ(tensor::shape_of(got), tensor::shape_of(exact));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto [lower, upper] = numeric::enclose(got.data()[i]);
    EXPECT_LE(oracle100(lower), exact.data()[i]) << "element " << i;
    EXPECT_GE(oracle100(upper), exact.data()[i]) << "element " << i;
    EXPECT_LE(verification::checks::compare::ulp_distance(lower, upper), 2u) << "element " << i;
  }
}

/// Let the loss be the sum of all elements of `grad_y * f(x)`. Compares grad_x at 50 digits with
/// the gradient of this loss, which is computed twice, with dual numbers and with the complex step.
/// The tolerance is `bound`, the running error of grad_x, scaled to 50 digits. f maps Tensor<S> to
/// Tensor<S>.
template <class F>
void expect_derivative(F&& f, const Tensor<double>& x, const Tensor<double>& grad_y,
                       const Tensor<oracle50>& grad_x, const Tensor<running_error>& bound) {
  const auto expect = [&]<class S>(S, const char* way) {
    Tensor<S> at = convert_elements<S>(x);
    const auto slopes = verification::checks::compare::slopes(
        at, [&] { return verification::checks::compare::weighted_sum(grad_y, f(at)); });
    EXPECT_WITHIN(compare(tensor::convert<oracle100>(grad_x), slopes,
                          verification::checks::compare::scaled_bound<oracle50>(bound)))
        << "by " << way;
  };
  expect(dual(), "dual numbers");
  expect(complex100(), "the complex step");
}

/// Returns "nan", "inf" or "-inf", as error messages print a non-finite number.
inline std::string to_text(double x) {
  return x != x ? "nan" : x < 0 ? "-inf" : "inf";
}

}  // namespace normproof::ref::ops
