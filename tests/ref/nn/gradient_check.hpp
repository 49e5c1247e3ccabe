#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/numeric/real.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "tests/verification/compare/expect.hpp"
#include "tests/verification/compare/scaled_bound.hpp"
#include "tests/verification/compare/slope.hpp"

// A backward against the derivative of its forward.
namespace normproof::ref::nn {

using numeric::complex100;
using numeric::dual;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using tensor::NamedTensors;
using tensor::Shape;
using tensor::Tensor;

/// Random doubles, the same for every scalar: a function of name and element.
template <class T>
Tensor<T> random_tensor(const std::string& name, const Shape& shape, std::uint64_t seed = 1) {
  const numeric::RandomStream random(seed, name);
  Tensor<T> t = tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = T(random.normal(i));
  return t;
}

template <class T>
NamedTensors<T> converted(const NamedTensors<double>& tensors) {
  NamedTensors<T> result;
  for (const auto& [name, values] : tensors) result.set(name, tensor::convert<T>(values));
  return result;
}

/// d sum(grad_y y) / d x for the tensor x of that name, y = forward(inputs).
template <class S, class Forward>
Tensor<oracle100> slopes_of(const NamedTensors<double>& inputs, const std::string& name,
                            const Tensor<double>& grad_y, Forward forward) {
  NamedTensors<S> at = converted<S>(inputs);
  return verification::compare::slopes(at.at(name), [&] {
    const Tensor<S> y = forward(at);
    EXPECT_EQ(tensor::shape_of(y), tensor::shape_of(grad_y));
    return verification::compare::weighted_sum(grad_y, y);
  });
}

/// Every gradient that backward(inputs, grad_y) names, at 50 digits, against the derivative of the
/// forward by dual numbers and by the complex step, within the bound of its own rounding.
/// forward: NamedTensors<T> -> Tensor<T>; backward: NamedTensors<T>, Tensor<T> -> NamedTensors<T>
template <class Forward, class Backward>
void expect_gradients(const NamedTensors<double>& inputs, const Tensor<double>& grad_y,
                      Forward forward, Backward backward, const std::string& what) {
  const auto gradients = [&]<class T>(T) {
    return backward(converted<T>(inputs), tensor::convert<T>(grad_y));
  };
  const NamedTensors<oracle50> found = gradients(oracle50());
  const NamedTensors<running_error> bounds = gradients(running_error());
  EXPECT_FALSE(found.empty());
  for (const auto& gradient : found) {
    const std::string& name = gradient.name;  // clang 14 captures no structured binding
    const Tensor<oracle50>& values = gradient.values;
    const auto bound = verification::compare::scaled_bound<oracle50>(bounds.at(name));
    const auto expect = [&](const char* way, const Tensor<oracle100>& slopes) {
      EXPECT_WITHIN(
          verification::compare::compare(tensor::convert<oracle100>(values), slopes, bound))
          << what << ": grad_" << name << " by " << way;
    };
    expect("dual numbers", slopes_of<dual>(inputs, name, grad_y, forward));
    expect("the complex step", slopes_of<complex100>(inputs, name, grad_y, forward));
  }
}

}  // namespace normproof::ref::nn
