#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/numeric/real.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/compare/scaled_bound.hpp"
#include "tests/verification/checks/compare/slope.hpp"

// Compares the gradients of a backward with derivatives of the forward.
namespace normproof::ref::nn {

using numeric::complex100;
using numeric::dual;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using tensor::NamedTensors;
using tensor::Shape;
using tensor::Tensor;

/// Returns standard normal doubles, converted to the scalar T. They depend only on seed, name and
/// element index, so they are the same for every T.
template <class T>
Tensor<T> random_tensor(const std::string& name, const Shape& shape, std::uint64_t seed = 1) {
  const numeric::RandomStream random(seed, name);
  Tensor<T> t = tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = T(random.normal(i));
  return t;
}

template <class T>
NamedTensors<T> convert_all_tensors(const NamedTensors<double>& tensors) {
  NamedTensors<T> result;
  for (const auto& [name, values] : tensors) result.set(name, tensor::convert<T>(values));
  return result;
}

/// Returns a function that computes the sum of all elements of `grad_y * forward(at)`. The function
/// reads the inputs `at` each time it is called.
template <class S, class Forward>
auto make_weighted_forward(const NamedTensors<S>& at, const Tensor<double>& grad_y,
                           Forward forward) {
  return [&at, &grad_y, forward] {
    const Tensor<S> y = forward(at);
    EXPECT_EQ(tensor::shape_of(y), tensor::shape_of(grad_y));
    return verification::checks::compare::weighted_sum(grad_y, y);
  };
}

/// Let the loss be the sum of all elements of `grad_y * forward(inputs)`. Returns the gradient of
/// this loss with respect to the tensor `name`, computed by dual numbers.
template <class Forward>
Tensor<oracle100> gradient_by_dual_numbers(const NamedTensors<double>& inputs,
                                           const std::string& name, const Tensor<double>& grad_y,
                                           Forward forward) {
  NamedTensors<dual> at = convert_all_tensors<dual>(inputs);
  return verification::checks::compare::slopes(at.at(name),
                                               make_weighted_forward(at, grad_y, forward));
}

/// Returns the sum of all elements of `weights * x` as a tensor with one element.
inline Tensor<oracle100> sum_weighted_elements(const Tensor<double>& weights,
                                               const Tensor<oracle100>& x) {
  return {verification::checks::compare::weighted_sum(weights, x)};
}

/// Computes, at 50 digits, every gradient that `backward` returns, and compares it with the
/// derivative of `forward`. The tolerance is the bound of the gradient's own rounding error.
///
/// Two methods compute the derivative. Dual numbers give each element, with one forward per
/// element. The complex step gives a sum of the elements with random weights, with a single
/// forward. This sum detects a single wrong element. The complex step uses no differentiation
/// rules, so an error in a rule cannot affect both methods.
///
/// The signatures are `forward(NamedTensors<T>) -> Tensor<T>` and
/// `backward(NamedTensors<T>, Tensor<T>) -> NamedTensors<T>`.
template <class Forward, class Backward>
void expect_gradients(const NamedTensors<double>& inputs, const Tensor<double>& grad_y,
                      Forward forward, Backward backward, const std::string& what) {
  const auto gradients = [&]<class T>(T) {
    return backward(convert_all_tensors<T>(inputs), tensor::convert<T>(grad_y));
  };
  const NamedTensors<oracle50> found = gradients(oracle50());
  const NamedTensors<running_error> bounds = gradients(running_error());
  EXPECT_FALSE(found.empty());
  for (const auto& gradient : found) {
    const std::string& name = gradient.name;  // clang 14 cannot capture a structured binding
    const auto values = tensor::convert<oracle100>(gradient.values);
    const auto bound = verification::checks::compare::scaled_bound<oracle50>(bounds.at(name));
    EXPECT_WITHIN(verification::checks::compare::compare(
        values, gradient_by_dual_numbers(inputs, name, grad_y, forward), bound))
        << what << ": grad_" << name << " by dual numbers";
    const auto weights = random_tensor<double>("weights of " + name, tensor::shape_of(values));
    auto sizes = weights;
    for (double& size : sizes) size = std::fabs(size);
    NamedTensors<complex100> at = convert_all_tensors<complex100>(inputs);
    const oracle100 slope = verification::checks::compare::compute_directional_slope(
        weights, at.at(name), make_weighted_forward(at, grad_y, forward));
    EXPECT_WITHIN(verification::checks::compare::compare(sum_weighted_elements(weights, values),
                                                         Tensor<oracle100>{slope},
                                                         sum_weighted_elements(sizes, bound)))
        << what << ": grad_" << name << ", weighted, by the complex step";
  }
}

}  // namespace normproof::ref::nn
