#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ref/norm/norm.hpp"

/// One requirement of a layer's contract, broken in a question that is sound but for it.
namespace normproof::ref::norm {

struct Question {
  model::NormOptions options;
  NormInputs<double> in;
  tensor::NamedTensors<double> state;
  /// What becomes of the forward before the backward takes it.
  std::function<void(NormStep<double>&)> between = [](NormStep<double>&) {};
};

struct Fault {
  const char* argument;  ///< which the refusal has to name
  std::function<void(Question&)> plant;
};

/// Expects that the layer answers the sound question, forward and backward, and refuses it with the
/// fault, by the argument and by the clause that the running test names.
void expect_broken(const model::NormOptions& options, const Fault& fault);

/// TEST(Layer, name), which expects that of the layer and the fault.
#define NORMPROOF_REFUSES(Layer, name, fault)      \
  TEST(Layer, name) {                              \
    expect_broken(model::Layer##Options{}, fault); \
  }                                                \
  static_assert(true, "a semicolon follows")

/// Sets an option of the layer.
Fault wrong_option(const char* field, const char* value);
/// A tensor of the state, of another extent, or with an element -1 or NaN.
Fault longer_state(const char* name);
Fault negative_state(const char* name);
Fault nan_in_state(const char* name);
/// A statistic that the forward left, of another extent.
Fault longer_saved(const char* name);

extern const Fault kEmptyX, kZerosWithoutEps, kLongerGamma, kLongerBeta, kInfiniteX, kNanInGamma,
    kHugeX, kOtherGradY, kInfiniteGradY, kNoValidRow, kLongerMask;

}  // namespace normproof::ref::norm
