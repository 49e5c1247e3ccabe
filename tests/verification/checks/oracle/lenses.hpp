#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ref/norm/norm.hpp"
#include "ref/numeric/random.hpp"
#include "tests/verification/checks/compare/scaled_bound.hpp"
#include "verification/checks/compare/comparison.hpp"
#include "verification/checks/oracle/oracle.hpp"

/// One case, read through every lens: what the tests of this folder share.
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

/// Inputs and state in `double`, hence exact in every lens.
struct Case {
  NormOptions options;
  NormInputs<double> inputs;
  NamedTensors<double> state;

  /// "batch_norm eps=1e-05 ... [2, 3] training"
  std::string name() const;
};

/// Every layer with the options that change its formula, as far as D features allow them.
std::vector<NormOptions> every_layer(std::size_t d_model);
/// Those of every_layer whose statistics heed the mask, and those whose do not.
bool heeds_mask(const NormOptions& options);
bool has_state(const NormOptions& options);

/// gamma, beta, grad_y and state for x: mild, of both signs, with gamma near no special value.
/// Layers without parameters get none.
Case make_case(const NormOptions& options, const Tensor<double>& x, Mode mode,
               const std::string& stream);
Tensor<double> normal(const std::string& stream, const Shape& shape, double offset = 0,
                      double scale = 1);
/// The mask of [N] or [B,T] rows whose bits are those of `bits`.
Mask mask_of_bits(const Shape& x_shape, std::uint64_t bits);

/// One step of ref at scalar T.
template <class T>
NormInputs<T> inputs_as(const NormInputs<double>& inputs);
template <class T>
NamedTensors<T> state_as(const NamedTensors<double>& state);
template <class T>
NormStep<T> run(const Case& c) {
  return ref::norm::norm_step<T>(c.options, inputs_as<T>(c.inputs), state_as<T>(c.state));
}
OracleInputs oracle_inputs(const NormInputs<double>& inputs);
OracleStep run_oracle(const Case& c, Method method);

/// Names in order, then every tensor of a step at 50 or 100 digits within 2^10 times the running
/// error bound of `double`, scaled by the ratio of the unit roundoffs: docs/derivations/error_analysis.md,
/// section 5.
template <class T>
::testing::AssertionResult agrees(const NormStep<T>& got, const OracleStep& expected,
                                  const NormStep<running_error>& bound);
/// The same for two oracle methods.
::testing::AssertionResult agrees(const OracleStep& got, const OracleStep& expected,
                                  const NormStep<running_error>& bound);
/// How a running error bound was used.
struct Tightness {
  double worst = 0;           ///< largest error / bound
  std::size_t claimed = 0;    ///< elements with a finite bound
  std::size_t unclaimed = 0;  ///< elements with an infinite one: nothing is claimed of them
};
/// The `double` step within its own running error bound, wherever that is finite.
::testing::AssertionResult within_running_error(const NormStep<running_error>& got,
                                                const OracleStep& expected,
                                                Tightness* tightness = nullptr);
/// The bits of the `double` step are those of the value parts.
::testing::AssertionResult same_values(const NormStep<double>& got,
                                       const NormStep<running_error>& expected);
/// Every tensor of the `double` step is the oracle's, exactly.
::testing::AssertionResult equals_exactly(const NormStep<double>& got, const OracleStep& expected);

}  // namespace normproof::verification::checks::oracle
