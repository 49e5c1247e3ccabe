#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/numeric/real.hpp"
#include "ref/tensor/named_tensors.hpp"

// A backward against dual numbers: the derivative of the forward itself, at 50 digits.
namespace normproof::ref::nn {

using numeric::dual;
using numeric::oracle50;
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

/// `inputs` with a derivative of 1 in one element of one tensor.
inline NamedTensors<dual> seeded(const NamedTensors<oracle50>& inputs, const std::string& name,
                                 std::size_t element) {
  NamedTensors<dual> result;
  for (const auto& entry : inputs) {
    Tensor<dual> t = tensor::empty_tensor<dual>(tensor::shape_of(entry.values));
    for (std::size_t i = 0; i < t.size(); ++i)
      t.data()[i] =
          dual(entry.values.data()[i], oracle50(entry.name == name && i == element ? 1 : 0));
    result.set(entry.name, std::move(t));
  }
  return result;
}

/// sum_i grad_y_i y_i', for each element of each tensor of `inputs`, against `gradients`.
/// forward: NamedTensors<dual> -> Tensor<dual>
template <class Forward>
void expect_gradients(const NamedTensors<oracle50>& inputs, const Tensor<oracle50>& grad_y,
                      const NamedTensors<oracle50>& gradients, Forward forward,
                      const std::string& what) {
  for (const auto& entry : gradients) {
    ASSERT_EQ(tensor::shape_of(entry.values), tensor::shape_of(inputs.at(entry.name)))
        << entry.name;
    for (std::size_t i = 0; i < entry.values.size(); ++i) {
      const Tensor<dual> y = forward(seeded(inputs, entry.name, i));
      ASSERT_EQ(y.size(), grad_y.size());
      oracle50 slope = 0, magnitude = 1;
      for (std::size_t k = 0; k < y.size(); ++k) {
        const oracle50 term = grad_y.data()[k] * y.data()[k].derivative;
        slope += term;
        magnitude += term < 0 ? oracle50(-term) : term;
      }
      const oracle50 off = slope - entry.values.data()[i];
      EXPECT_LE(off < 0 ? oracle50(-off) : off, magnitude * oracle50("1e-40"))
          << what << ": grad_" << entry.name << " at " << i << " is " << entry.values.data()[i]
          << ", the derivative of the forward " << slope;
    }
  }
}

}  // namespace normproof::ref::nn
