#include "ref/train/gradient_norm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/ref/train/bounds.hpp"

namespace normproof::ref::train {
namespace {

using numeric::contract_message;
using numeric::kInfinity;
using numeric::kNaN;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using tensor::Tensor;
using verification::checks::compare::compare;
using verification::checks::compare::scaled_bound;

/// Returns the gradients of three parameters: a long dense one, a short dense one, and a gradient
/// of three rows of an embedding.
template <class T>
Gradients<T> random_gradient_set() {
  Gradients<T> gradients;
  gradients.dense.set("long", ops::convert_elements<T>(ops::random_tensor({101, 7}, "long")));
  gradients.dense.set("short", ops::convert_elements<T>(ops::random_tensor({3}, "short", 10)));
  gradients.rows.push_back(
      {"rows", {{1, 4, 5}, ops::convert_elements<T>(ops::random_tensor({3, 11}, "rows", 0.1))}});
  return gradients;
}

/// Returns a vector of the norm of each tensor, then the norm of all gradients together, then all
/// elements of the gradients.
template <class T>
Tensor<T> flatten_norms_and_gradients(const GradientNorms<T>& norms,
                                      const Gradients<T>& gradients = {}) {
  std::vector<T> values;
  for (const auto& [name, norm] : norms.per_tensor) values.push_back(norm);
  values.push_back(norms.whole);
  for (const auto& [name, t] : gradients.dense) values.insert(values.end(), t.begin(), t.end());
  for (const auto& [name, rows] : gradients.rows)
    values.insert(values.end(), rows.values.begin(), rows.values.end());
  Tensor<T> result = tensor::empty_tensor<T>({values.size()});
  for (std::size_t i = 0; i < values.size(); ++i) result.data()[i] = values[i];
  return result;
}
template <class T>
Tensor<T> clip_random_gradients(std::optional<double> max_norm) {
  Gradients<T> gradients = random_gradient_set<T>();
  const auto norms = clip_gradients(gradients, max_norm);
  return flatten_norms_and_gradients(norms, gradients);
}

class GradientNormTest : public ::testing::Test {
 protected:
  void TearDown() override { ops::restore_default_settings(); }
};

TEST_F(GradientNormTest, MatchesHandComputedValues) {
  Gradients<double> gradients;
  gradients.dense.set("a", {{3, 0}, {0, -4}});
  gradients.rows.push_back({"b", {{7}, {{12, 0}}}});
  const auto norms = gradient_norms(gradients);
  ASSERT_EQ(norms.per_tensor.size(), 2u);
  EXPECT_EQ(norms.per_tensor[0].first, "a");
  EXPECT_EQ(norms.per_tensor[1].first, "b");
  EXPECT_BITS_EQ(flatten_norms_and_gradients(norms), (Tensor<double>{5, 12, 13}));
  EXPECT_BITS_EQ(flatten_norms_and_gradients(clip_gradients(gradients, 6.5)),
                 (Tensor<double>{5, 12, 13}));
  EXPECT_BITS_EQ(gradients.dense.at("a"), (Tensor<double>{{1.5, 0}, {0, -2}}));
  EXPECT_BITS_EQ(gradients.rows[0].second.values, (Tensor<double>{{6, 0}}));
}

TEST_F(GradientNormTest, NormOfNoGradientIsZero) {
  EXPECT_BITS_EQ(flatten_norms_and_gradients(gradient_norms(Gradients<double>{})),
                 (Tensor<double>{0}));
  Gradients<double> no_rows{{}, {{"embedding", {{}, tensor::empty_tensor<double>({0, 8})}}}};
  EXPECT_BITS_EQ(flatten_norms_and_gradients(clip_gradients(no_rows, 1)), (Tensor<double>{0, 0}));
}

// The expected values follow docs/specification/training.md operation by operation.
TEST_F(GradientNormTest, FollowsTheSpecification) {
  const auto gradients = random_gradient_set<double>();
  std::vector<double> expected, elements;
  double sum = 0;
  const auto add = [&](const Tensor<double>& t) {
    std::vector<double> squares;
    for (const double g : t) squares.push_back(g * g);
    elements.insert(elements.end(), t.begin(), t.end());
    expected.push_back(numeric::square_root(ops::sum_in_32_lanes(squares)));
    sum += ops::sum_in_32_lanes(squares);
  };
  for (const auto& [name, t] : gradients.dense) add(t);
  add(gradients.rows[0].second.values);
  expected.push_back(numeric::square_root(sum));
  const double scale = 0.7 / expected.back();
  for (const double g : elements) expected.push_back(g * scale);
  const Tensor<double> got = clip_random_gradients<double>(0.7);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_BITS_EQ(got(i), expected[i]) << i;
}

TEST_F(GradientNormTest, ClippingLeavesGradientsWithinMaxNormUnchanged) {
  const auto gradients = random_gradient_set<double>();
  const auto norms = gradient_norms(gradients);
  const Tensor<double> unchanged = flatten_norms_and_gradients(norms, gradients);
  EXPECT_BITS_EQ(clip_random_gradients<double>(std::nullopt), unchanged);
  EXPECT_BITS_EQ(clip_random_gradients<double>(norms.whole), unchanged);
  EXPECT_BITS_EQ(clip_random_gradients<double>(1e300), unchanged);
  EXPECT_NE(clip_random_gradients<double>(norms.whole * (1 - 0x1p-40)), unchanged);
}

TEST_F(GradientNormTest, EveryScalarTypeIsWithinItsErrorBound) {
  for (const std::optional<double> max_norm : {std::optional<double>(), std::optional(0.5)}) {
    const auto exact = clip_random_gradients<oracle100>(max_norm);
    const auto running = clip_random_gradients<running_error>(max_norm);
    EXPECT_WITHIN(compare(running, exact));
    EXPECT_BITS_EQ(clip_random_gradients<double>(max_norm), ops::values(running));
    EXPECT_WITHIN(compare(tensor::convert<oracle100>(clip_random_gradients<oracle50>(max_norm)),
                          exact, scaled_bound<oracle50>(running)));
    ops::expect_encloses(clip_random_gradients<numeric::interval>(max_norm), exact);
    ops::expect_encloses(clip_random_gradients<numeric::ball>(max_norm), exact);
  }
}

// The derivative of a norm with respect to the element g_i is `g_i / norm`. This is checked for the
// norm of the tensor that contains g_i and for the norm of all gradients.
TEST_F(GradientNormTest, DerivativeOfTheNormIsTheNormalizedGradient) {
  Gradients<numeric::dual> gradients;
  gradients.dense.set("a", ops::convert_elements<numeric::dual>({3, 4}));
  gradients.dense.set("b", ops::convert_elements<numeric::dual>({12}));
  gradients.dense.at("a")(1).derivative = 1;
  const auto norms = gradient_norms(gradients);
  EXPECT_EQ(norms.per_tensor[0].second.derivative, oracle50(4) / 5);
  EXPECT_EQ(norms.per_tensor[1].second.derivative, 0);
  EXPECT_EQ(norms.whole.derivative, oracle50(4) / 13);
}

TEST_F(GradientNormTest, GivesTheSameBitsOnEveryThreadCount) {
  for (const std::optional<double> max_norm : {std::optional<double>(), std::optional(0.5)})
    ops::expect_same_on_every_machine_setting([&] {
      Gradients<double> gradients;
      for (const char* name : {"a", "b", "c", "d"})
        gradients.dense.set(name, ops::random_tensor({20011}, name));
      const auto norms = clip_gradients(gradients, max_norm);
      return flatten_norms_and_gradients(norms, gradients);
    });
}

TEST_F(GradientNormTest, C1_RejectsNonFiniteSumsOfSquares) {
  for (const double bad : {kNaN, kInfinity, 1e200}) {
    auto gradients = random_gradient_set<double>();
    gradients.rows[0].second.values(1, 2) = bad;
    const Tensor<double> before = gradients.dense.at("long");
    EXPECT_EQ(contract_message([&] { clip_gradients(gradients, 1e-3); }),
              fmt::format("gradient_norms: gradient of rows makes the sum of squares {}; expected "
                          "finite elements, so small that it stays finite (C1)",
                          bad * bad));
    EXPECT_BITS_EQ(gradients.dense.at("long"), before);
  }
}

TEST_F(GradientNormTest, C2_RejectsBoundsThatAreNotPositiveAndFinite) {
  for (const double wrong : {0.0, -1.0, kNaN, kInfinity})
    EXPECT_EQ(contract_message([&] { clip_random_gradients<double>(wrong); }),
              fmt::format("clip_gradients: max_norm is {}; expected max_norm > 0 (C2)", wrong));
}

}  // namespace
}  // namespace normproof::ref::train
