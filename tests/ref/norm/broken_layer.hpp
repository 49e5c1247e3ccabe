#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ref/norm/norm.hpp"

/// Helpers for tests that break one requirement of a layer's contract in an otherwise valid call.
namespace normproof::ref::norm {

struct Question {
  model::NormOptions options;
  NormInputs<double> in;
  tensor::NamedTensors<double> state;
  /// Changes the result of the forward before the backward reads it.
  std::function<void(NormStep<double>&)> between = [](NormStep<double>&) {};
};

struct Fault {
  const char* argument;  ///< the argument that the error must name
  std::function<void(Question&)> plant;
};

/// Expects that the layer accepts the valid call, forward and backward, and that it rejects the
/// call with the fault. The error must name the fault's argument and the clause that the name of
/// the running test begins with.
void expect_broken(const model::NormOptions& options, const Fault& fault);

/// Defines TEST(Layer, name), which calls expect_broken for the layer and the fault.
#define NORMPROOF_REFUSES(Layer, name, fault)      \
  TEST(Layer, name) {                              \
    expect_broken(model::Layer##Options{}, fault); \
  }                                                \
  static_assert(true, "a semicolon follows")

/// Returns a fault that sets an option of the layer to an invalid value.
Fault wrong_option(const char* field, const char* value);
/// Each returns a fault in one tensor of the state: a wrong extent, an element -1, or an element
/// NaN.
Fault longer_state(const char* name);
Fault negative_state(const char* name);
Fault nan_in_state(const char* name);
/// Returns a fault that gives a statistic saved by the forward a wrong extent.
Fault longer_saved(const char* name);

extern const Fault kEmptyX, kZerosWithoutEps, kLongerGamma, kLongerBeta, kInfiniteX, kNanInGamma,
    kHugeX, kOtherGradY, kInfiniteGradY, kNoValidRow, kLongerMask;

}  // namespace normproof::ref::norm
