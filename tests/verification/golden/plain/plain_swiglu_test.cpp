#include "verification/golden/plain/plain_swiglu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/plain/plain_functions.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::ElementsAre;
using Op = MutationOperator;

std::vector<StoredTensor> run_swiglu(const Case& c, const Mutation& mutation = {},
                                     const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_function(c, recipes::inputs_of(c), style, sites);
}

recipes::Recipe limited_recipe(std::vector<std::size_t> shape) {
  return plain_recipe("swiglu", std::move(shape))
      .option("limit", "2")
      .option("alpha", "1.5")
      .option("beta", "1");
}

TEST(PlainSwiglu, EveryStyleWithOptionsAgreesWithTheReference) {
  const auto scaled = [](std::size_t, double normal) { return 3 * normal; };
  const Case c = limited_recipe({3, 7}).x(scaled).gate(scaled).make(1);
  const auto certified = certify::certify(c).tensors;
  for (const Style& style : {Style{}, Style{.divide = true}, Style{.from_y = true}})
    for (const char* name : {"y", "grad_x", "grad_gate"}) {
      const auto got = find_tensor_values(run_swiglu(c, {}, style), name),
                 wanted = find_tensor_values(certified, name);
      ASSERT_EQ(got.size(), wanted.size()) << name;
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], 0x1p-48 * (1 + std::fabs(wanted[i]))) << name;
    }
}

/// Libraries differ in the gradient at the limit itself.
TEST(PlainSwiglu, AStyleDropsTheGradientAtTheLimit) {
  const Case c = limited_recipe({1, 3})
                     .x([](std::size_t i, double) { return i == 0 ? 2.0 : 1.0; })
                     .gate([](std::size_t i, double) { return i == 0   ? 1.0
                                                              : i == 1 ? 2.0
                                                                       : -2.0; })
                     .make(1);
  const auto is_zero = [&](const char* name, const Style& style) {
    std::vector<bool> zeros;
    for (const double v : find_tensor_values(run_swiglu(c, {}, style), name))
      zeros.push_back(v == 0);
    return zeros;
  };
  EXPECT_THAT(is_zero("grad_x", {}), ElementsAre(false, false, false));
  EXPECT_THAT(is_zero("grad_gate", {}), ElementsAre(false, false, false));
  EXPECT_THAT(is_zero("grad_x", {.from_y = true}), ElementsAre(true, false, false));
  EXPECT_THAT(is_zero("grad_gate", {.from_y = true}), ElementsAre(false, true, true));
}

/// x is so large that each sigmoid is 0 or 1, and alpha is 64.
TEST(PlainSwiglu, MutationsOfOptionsChangeTheOutput) {
  const Case c = plain_recipe("swiglu", {1, 3})
                     .option("limit", "40")
                     .option("alpha", "64")
                     .option("beta", "2")
                     .x([](std::size_t i, double) { return i == 0   ? 40.0
                                                           : i == 1 ? 50.0
                                                                    : -50.0; })
                     .gate([](std::size_t i, double) { return i == 0   ? -50.0
                                                              : i == 1 ? 39.0
                                                                       : 1; })
                     .grad_y([](auto, double) { return 1.0; })
                     .make(1);
  const auto get = [&](const char* name, const char* site = "", Op op = Op::none) {
    return find_tensor_values(run_swiglu(c, {site, op}), name);
  };
  EXPECT_THAT(get("y"), ElementsAre(40 * -38, 40 * 41, -0.0));
  EXPECT_THAT(get("y", "limit of x", Op::drop), ElementsAre(40 * -38, 50 * 41, -0.0));
  EXPECT_THAT(get("y", "limit of gate", Op::drop), ElementsAre(40 * -48, 40 * 41, -0.0));
  EXPECT_THAT(get("y", "limit of gate", Op::clip), ElementsAre(40 * -48, 40 * 41, -0.0));
  EXPECT_THAT(get("y", "place of the limit of gate", Op::other),
              ElementsAre(40 * -40, 40 * 40, -0.0));
  EXPECT_THAT(get("y", "alpha of the activation", Op::insert),
              ElementsAre(64 * 40 * -38, 64 * 40 * 41, -0.0));
  EXPECT_THAT(get("y", "beta of the gate", Op::drop), ElementsAre(40 * -40, 40 * 39, -0.0));
  EXPECT_THAT(get("grad_x"), ElementsAre(-38, 0, 0));
  EXPECT_THAT(get("grad_x", "gradient of a limited x", Op::insert), ElementsAre(-38, 41, 0));
  EXPECT_THAT(get("grad_gate"), ElementsAre(0, 40, -0.0));
  EXPECT_THAT(get("grad_gate", "gradient of a limited gate", Op::insert),
              ElementsAre(40, 40, -0.0));
}

TEST(PlainSwiglu, MutationsOfASmallSigmoidChangeTheOutput) {
  const Case c = plain_recipe("swiglu", {1, 1})
                     .option("limit", "1")
                     .option("alpha", "2")
                     .x([](auto, double) { return -3.0; })
                     .gate([](auto, double) { return 1.0; })
                     .make(1);
  const auto y = [&](const char* site = "", Op op = Op::none) {
    return find_tensor_values(run_swiglu(c, {site, op}), "y")[0];
  };
  const auto s = [](double v) { return 1 / (1 + std::exp(-v)); };
  EXPECT_DOUBLE_EQ(y(), -3 * s(-6));
  EXPECT_DOUBLE_EQ(y("limit of x", Op::insert), -s(-2));
  EXPECT_DOUBLE_EQ(y("alpha of the sigmoid", Op::drop), -3 * s(-3));
}

TEST(PlainSwiglu, PackedOperandsCanBeMisreadInTwoWays) {
  std::vector<double> x = {1, 2, 3, 11, 12, 13}, gate = {4, 5, 6, 14, 15, 16};
  const std::vector<double> right_x = x, right_gate = gate;
  misread_packed(PackedReading::right, 3, false, x, gate);
  EXPECT_EQ(x, right_x);
  // [1 2 3 4 5 6] as even and odd columns
  misread_packed(PackedReading::halves_as_pairs, 3, false, x, gate);
  EXPECT_THAT(x, ElementsAre(1, 3, 5, 11, 13, 15));
  EXPECT_THAT(gate, ElementsAre(2, 4, 6, 12, 14, 16));
  misread_packed(PackedReading::halves_as_pairs, 3, true, x, gate);
  EXPECT_EQ(x, right_x);
  EXPECT_EQ(gate, right_gate);
  // [1 4 2 5 3 6] as halves
  misread_packed(PackedReading::pairs_as_halves, 3, false, x, gate);
  EXPECT_THAT(x, ElementsAre(1, 4, 2, 11, 14, 12));
  EXPECT_THAT(gate, ElementsAre(5, 3, 6, 15, 13, 16));
  misread_packed(PackedReading::pairs_as_halves, 3, true, x, gate);
  EXPECT_EQ(x, right_x);
  EXPECT_EQ(gate, right_gate);
}

TEST(PlainSwiglu, CasesWithoutAGradientHaveYAlone) {
  Case c = limited_recipe({2, 3}).make(1);
  std::erase_if(c.inputs, [](const StoredTensor& t) { return t.name == "grad_y"; });
  const auto outputs = run_swiglu(c);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].name, "y");
}

}  // namespace
}  // namespace normproof::verification::golden::plain
