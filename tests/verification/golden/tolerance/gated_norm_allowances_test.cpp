#include "verification/golden/tolerance/gated_norm_allowances.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::tolerance {

using mutations::Sites;
using plain::run_plain;
namespace {

using gate::check_case;

/// Returns the amounts that the allowances add to bounds of 0.
ref::tensor::NamedTensors<double> compute_gated_allowances(const Case& c, Formula formula) {
  const checks::evaluation::EvalInputs inputs = inputs_of(c, case_folder(c));
  ref::tensor::NamedTensors<double> bound;
  for (const auto& [name, values] :
       checks::evaluation::run_operation<double>(c.options, inputs, c.sequence)) {
    auto zeros = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(values));
    std::fill_n(zeros.data(), zeros.size(), 0.0);
    bound.set(name, std::move(zeros));
  }
  add_gated_norm_allowances(c, inputs.function, Accumulation::float32, formula, bound);
  return bound;
}

/// A candidate that stores intermediate results in 16 bits must be within the bound with the
/// allowance, but not within the bound without it.
TEST(GatedNormAllowances, CoverIntermediateResultsStoredIn16Bits) {
  for (const char* position : {"after", "before"})
    for (const char* activation : {"silu", "sigmoid"})
      for (const DType dtype : {DType::bfloat16, DType::float16}) {
        const Case c = plain_recipe("gated_rms_norm", {9, 12}, dtype)
                           .option("gate_position", position)
                           .option("gate_activation", activation)
                           .option("groups", "3")
                           .make(1);
        const auto stored = certified(c);
        Sites sites;
        const auto answer = run_plain(c, recipes::inputs_of(c), {.from_y = true}, sites);
        Tolerance bounds = derive_tolerance(c, Accumulation::float32);
        EXPECT_TRUE(check_case(stored, answer, {}, bounds).passed()) << position << activation;
        for (const auto& [name, values] : compute_gated_allowances(c, Formula::two_pass))
          for (std::size_t i = 0; i < values.size(); ++i)
            bounds.bound.at(name).data()[i] -= values.data()[i];
        EXPECT_FALSE(check_case(stored, answer, {}, bounds).passed()) << position << activation;
      }
}

/// For z = -90, exp(-z) overflows float32, so that the sigmoid may be 0. y may then be 0 too. The
/// stable formula does not overflow.
TEST(GatedNormAllowances, CoverASigmoidWhoseExponentialOverflows) {
  const Case c = plain_recipe("gated_rms_norm", {1, 2}, DType::float32)
                     .no_affine()
                     .x([](auto, double) { return 1.0; })
                     .gate([](auto, double) { return -90.0; })
                     .make(1);
  const double lost = 90 * std::exp(-90.0) / std::sqrt(1 + 1e-5);
  const double added = compute_gated_allowances(c, Formula::two_pass).at("y").data()[0];
  EXPECT_GE(added, lost);
  EXPECT_LE(added, 1.1 * lost);
  EXPECT_EQ(compute_gated_allowances(c, Formula::stable).at("y").data()[0], 0);
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
