#include "ref/train/initialization.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::train {
namespace {

using model::InitializationOptions;
using model::KaimingNormal;
using model::KaimingUniform;
using model::PlainUniform;
using model::XavierNormal;
using model::XavierUniform;
using numeric::contract_message;
using numeric::square_root;
using tensor::Shape;
using tensor::Tensor;

class InitializationTest : public ::testing::Test {
 protected:
  void TearDown() override { ops::restore_default_settings(); }
};

// The shape [out, in] is [3, 5]. The extents differ, so that the test detects an implementation
// that exchanges fan_in and fan_out.
TEST_F(InitializationTest, FollowsTheSpecification) {
  struct ExpectedRule {
    InitializationOptions options;
    double factor;
    bool normal;
  };
  const ExpectedRule known[] = {{XavierNormal{1.5}, 1.5 * square_root(2.0 / 8), true},
                                {XavierUniform{1.5}, 1.5 * square_root(6.0 / 8), false},
                                {KaimingNormal{1.5}, 1.5 / square_root(5.0), true},
                                {KaimingUniform{1.5}, 1.5 * square_root(3.0 / 5), false},
                                {PlainUniform{0.3}, 0.3, false}};
  const numeric::RandomStream random(42, "init/encoder.weight");
  for (const ExpectedRule& k : known) {
    SCOPED_TRACE(model::initialization_name(k.options));
    const Tensor<double> got = initial_values(k.options, "encoder.weight", {3, 5}, 42);
    ASSERT_EQ(tensor::shape_of(got), (Shape{3, 5}));
    for (std::size_t i = 0; i < 15; ++i)
      EXPECT_BITS_EQ(got.data()[i],
                     k.factor * (k.normal ? random.normal(i) : 2 * random.uniform(i) - 1));
  }
}

TEST_F(InitializationTest, SeedAndNameDetermineTheValues) {
  const auto values = [](const char* name, std::uint64_t seed) {
    return initial_values(XavierNormal{}, name, {4, 4}, seed);
  };
  EXPECT_BITS_EQ(values("a", 1), values("a", 1));
  EXPECT_NE(values("a", 1), values("b", 1));
  EXPECT_NE(values("a", 1), values("a", 2));
  // Elements are counted in row-major order, so a longer tensor begins with the shorter one.
  const Tensor<double> few = initial_values(PlainUniform{1}, "a", {2, 5}, 1);
  const Tensor<double> more = initial_values(PlainUniform{1}, "a", {3, 5}, 1);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_BITS_EQ(few.data()[i], more.data()[i]);
}

TEST_F(InitializationTest, PlainUniformAcceptsAnyShape) {
  const Tensor<double> bias = initial_values(PlainUniform{0.5}, "bias", {100}, 3);
  EXPECT_EQ(tensor::shape_of(bias), Shape{100});
  EXPECT_EQ(tensor::shape_of(initial_values(PlainUniform{0.5}, "x", {2, 3, 4}, 3)),
            (Shape{2, 3, 4}));
}

// Let s be the standard deviation that the published rule prescribes. The mean of n elements is off
// by about `s / sqrt(n)`, and their variance is off by less than `2 s^2 / sqrt(n)`. The tolerances
// are six times these values.
TEST_F(InitializationTest, MeanAndVarianceMatchThePublishedRules) {
  const Shape shape = {300, 200};
  const double n = 300 * 200;
  const std::pair<InitializationOptions, double> known[] = {
      {XavierNormal{}, 2.0 / 500},
      {XavierUniform{}, 2.0 / 500},
      {KaimingNormal{square_root(2.0)}, 2.0 / 200},
      {KaimingUniform{square_root(2.0)}, 2.0 / 200},
      {PlainUniform{0.1}, 0.01 / 3}};
  for (const auto& [options, variance] : known) {
    SCOPED_TRACE(model::initialization_name(options));
    double sum = 0, squares = 0;
    for (const double v : initial_values(options, "moments", shape, 7)) {
      sum += v;
      squares += v * v;
    }
    EXPECT_LE(std::fabs(sum / n), 6 * square_root(variance / n));
    EXPECT_LE(std::fabs(squares / n - variance), 6 * 2 * variance / square_root(n));
  }
}

TEST_F(InitializationTest, GivesTheSameBitsOnEveryThreadCount) {
  for (const auto& name : model::initialization_names())
    ops::expect_same_on_every_machine_setting([&] {
      return initial_values(model::initialization_options(name), "threads", {70, 101}, 11);
    });
}

TEST_F(InitializationTest, C1_RejectsShapesWithoutFans) {
  EXPECT_EQ(
      contract_message([] { initial_values(XavierNormal{}, "bias", {3}, 1); }),
      "initial_values: bias has shape [3]; expected [O, I] with every extent at least 1 (C1)");
  EXPECT_EQ(
      contract_message([] {
        initial_values(KaimingUniform{}, "weight", {3, 0}, 1);
      }),
      "initial_values: weight has shape [3, 0]; expected [O, I] with every extent at least 1 (C1)");
  EXPECT_EQ(
      contract_message([] { initial_values(PlainUniform{}, "bias", {0}, 1); }),
      "initial_values: bias has shape [0]; expected a shape with every extent at least 1 (C1)");
}

TEST_F(InitializationTest, C2_RejectsNegativeOrNonFiniteGainAndLimit) {
  const auto message = [](const InitializationOptions& options) {
    return contract_message([&] { initial_values(options, "weight", {2, 2}, 1); });
  };
  for (const auto& name : model::initialization_names()) {
    InitializationOptions options = model::initialization_options(name);
    const std::string field = list_options(options)[0].first;
    set_option(options, field, "-1");
    EXPECT_EQ(message(options),
              fmt::format("initial_values: {} is -1; expected {} >= 0 (C2)", field, field));
  }
  EXPECT_EQ(message(PlainUniform{numeric::kInfinity}),
            "initial_values: limit is inf; expected limit >= 0 (C2)");
}

}  // namespace
}  // namespace normproof::ref::train
