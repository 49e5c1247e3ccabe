#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ref/norm/norm.hpp"
#include "ref/numeric/random.hpp"
#include "tests/verification/checks/compare/scaled_bound.hpp"
#include "verification/checks/compare/comparison.hpp"
#include "verification/checks/oracle/oracle.hpp"

/// Evaluates one case with every scalar type. All tests in this folder use it.
namespace normproof::verification::checks::oracle {

using checks::compare::scaled_bound;
using ref::model::Mode;
using ref::model::NormOptions;
using ref::norm::NormInputs;
using ref::norm::NormStep;
using ref::numeric::RandomStream;
using ref::numeric::running_error;
using ref::tensor::empty_tensor;
using ref::tensor::Shape;
using ref::tensor::shape_of;

/// A step of a layer: options, inputs and state. The inputs are in `double`, which every scalar
/// type represents exactly.
struct Case {
  NormOptions options;
  NormInputs<double> inputs;
  NamedTensors<double> state;

  /// Returns a name such as "batch_norm eps=1e-05 ... [2, 3] training".
  std::string name() const;
};

/// Returns every layer, with each option that changes its formula. Options that are impossible with
/// `d_model` features are left out.
std::vector<NormOptions> options_of_every_layer(std::size_t d_model);
/// Whether the statistics of a layer depend on the mask.
bool uses_mask(const NormOptions& options);
bool has_state(const NormOptions& options);

/// Returns a case with this x and random gamma, beta, grad_y and state. The numbers are moderate
/// and of both signs. Layers without parameters get no gamma and beta.
Case make_case(const NormOptions& options, const Tensor<double>& x, Mode mode,
               const std::string& stream);
Tensor<double> normal(const std::string& stream, const Shape& shape, double offset = 0,
                      double scale = 1);
/// Returns the mask of the rows of x, shape [N] or [B,T]. Flag i of the mask is bit i of `bits`.
Mask mask_of_bits(const Shape& x_shape, std::uint64_t bits);

/// Converts the inputs to the scalar type T.
template <class T>
NormInputs<T> convert_norm_inputs(const NormInputs<double>& inputs);
template <class T>
NamedTensors<T> convert_norm_state(const NamedTensors<double>& state);
template <class T>
NormStep<T> run(const Case& c) {
  return ref::norm::norm_step<T>(c.options, convert_norm_inputs<T>(c.inputs),
                                 convert_norm_state<T>(c.state));
}
OracleInputs to_oracle_inputs(const NormInputs<double>& inputs);
OracleStep run_oracle(const Case& c, Method method);

/// Compares the names in order, then every tensor of a step at 50 or 100 digits. The tolerance is
/// 2^10 times the running error bound of `double`, scaled by the ratio of the unit roundoffs
/// (docs/error_analysis.md, section 5).
template <class T>
::testing::AssertionResult agrees_with_oracle(const NormStep<T>& got, const OracleStep& expected,
                                              const NormStep<running_error>& bound);
/// Compares the results of two methods of the oracle. The tolerance is 2^10 times the running error
/// bound of `double`, scaled to 100 digits.
::testing::AssertionResult agrees_with_oracle(const OracleStep& got, const OracleStep& expected,
                                              const NormStep<running_error>& bound);
/// The largest ratio of a measured error to its running error bound, and the number of elements
/// with and without a bound.
struct Tightness {
  double worst = 0;           ///< largest error / bound
  std::size_t claimed = 0;    ///< elements with a finite bound
  std::size_t unclaimed = 0;  ///< elements with an infinite bound, about which nothing is claimed
};
/// Expects the value parts of `got` to be within their running error bounds of the expected values.
/// Elements with an infinite bound are skipped. Adds the ratios to `tightness`, if given.
::testing::AssertionResult is_within_running_error(const NormStep<running_error>& got,
                                                   const OracleStep& expected,
                                                   Tightness* tightness = nullptr);
/// Expects the step in `double` to have exactly the bits of the value parts of `expected`.
::testing::AssertionResult has_same_values(const NormStep<double>& got,
                                           const NormStep<running_error>& expected);
/// Expects every tensor of the step in `double` to equal the tensor of the oracle exactly.
::testing::AssertionResult equals_exactly(const NormStep<double>& got, const OracleStep& expected);

}  // namespace normproof::verification::checks::oracle
