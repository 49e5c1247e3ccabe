#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ref/norm/norm.hpp"

/// Helpers for tests that break one requirement of a layer's contract in an otherwise valid call.
namespace normproof::ref::norm {

struct LayerCall {
  model::NormOptions options;
  NormInputs<double> in;
  tensor::NamedTensors<double> state;
  /// Changes the result of the forward before the backward reads it.
  std::function<void(NormStep<double>&)> between = [](NormStep<double>&) {};
};

struct Fault {
  const char* argument;  ///< the argument that the error must name
  std::function<void(LayerCall&)> inject;
};

/// Expects that the layer accepts the valid call, forward and backward, and that it rejects the
/// call with the fault. The error must name the fault's argument and the clause that the name of
/// the running test begins with.
void expect_rejected(const model::NormOptions& options, const Fault& fault);

/// Defines TEST(Layer, name), which calls expect_rejected for the layer and the fault.
#define NORMPROOF_REJECTS(Layer, name, fault)        \
  TEST(Layer, name) {                                \
    expect_rejected(model::Layer##Options{}, fault); \
  }                                                  \
  static_assert(true, "a semicolon follows")

/// Returns a fault that sets an option of the layer to an invalid value.
Fault wrong_option(const char* field, const char* value);
/// Each returns a fault in one tensor of the state: a wrong extent, an element -1, or an element
/// NaN.
Fault state_of_wrong_extent(const char* name);
Fault state_with_negative(const char* name);
Fault state_with_nan(const char* name);
/// Returns a fault that gives a statistic saved by the forward a wrong extent.
Fault saved_of_wrong_extent(const char* name);

extern const Fault kEmptyX, kZerosWithoutEps, kGammaOfWrongExtent, kBetaOfWrongExtent, kInfiniteX,
    kNanInGamma, kHugeX, kGradYOfWrongShape, kInfiniteGradY, kNoValidRow, kMaskOfWrongShape;

}  // namespace normproof::ref::norm
