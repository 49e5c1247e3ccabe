#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ref/norm/norm.hpp"

/// Helpers for tests that violate one requirement of a layer in an otherwise valid call.
namespace normproof::ref::norm {

/// The arguments of one call of a layer, forward and backward.
struct LayerCall {
  model::NormOptions options;
  NormInputs<double> in;
  tensor::NamedTensors<double> state;
  /// Called with the result of the forward before the backward runs. The function may change this
  /// result.
  std::function<void(NormStep<double>&)> between = [](NormStep<double>&) {};
};

/// A change that makes a valid call of a layer invalid.
struct Fault {
  const char* argument;  ///< the argument that the error message must name
  std::function<void(LayerCall&)> inject;
};

/// Expects the layer to accept a valid call, and to reject the same call with the fault. The error
/// must name the argument of the fault. If the name of the running test begins with a clause, for
/// example C3, the error must also name this clause.
void expect_rejected(const model::NormOptions& options, const Fault& fault);

/// Defines TEST(Layer, name), which calls expect_rejected with the default options of the layer and
/// the fault.
#define NORMPROOF_REJECTS(Layer, name, fault)        \
  TEST(Layer, name) {                                \
    expect_rejected(model::Layer##Options{}, fault); \
  }                                                  \
  static_assert(true, "a semicolon follows")

/// Returns a fault that sets an option of the layer to an invalid value.
Fault wrong_option(const char* field, const char* value);
/// state_of_wrong_extent, state_with_negative and state_with_nan return a fault in the tensor
/// `name` of the state: a wrong extent, an element that is -1, or an element that is NaN.
Fault state_of_wrong_extent(const char* name);
Fault state_with_negative(const char* name);
Fault state_with_nan(const char* name);
/// Returns a fault that gives the saved statistic `name` a wrong extent before the backward reads
/// it.
Fault saved_statistic_of_wrong_extent(const char* name);

extern const Fault kEmptyX, kZerosWithoutEps, kGammaOfWrongExtent, kBetaOfWrongExtent, kInfiniteX,
    kNanInGamma, kHugeX, kGradYOfWrongShape, kInfiniteGradY, kNoValidRow, kMaskOfWrongShape;

}  // namespace normproof::ref::norm
