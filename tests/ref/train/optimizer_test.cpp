#include "ref/train/optimizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/ref/train/bounds.hpp"
#include "tests/ref/train/small_runs.hpp"

namespace normproof::ref::train {
namespace {

using model::AdamOptions;
using model::AdamWOptions;
using model::OptimizerOptions;
using model::SgdOptions;
using numeric::contract_message;
using numeric::kInfinity;
using numeric::kNaN;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using tensor::Shape;
using tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using verification::checks::compare::compare;
using verification::checks::compare::scaled_bound;

std::vector<OptimizerOptions> all_optimizers() {
  return {
      SgdOptions{},   SgdOptions{.momentum = 0.9},
      AdamOptions{},  AdamOptions{.beta1 = 0, .beta2 = 0.5, .eps = 1e-3},
      AdamWOptions{}, AdamWOptions{.beta1 = 0.7, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.3}};
}
std::string describe_optimizer(const OptimizerOptions& options) {
  std::string text = model::optimizer_name(options);
  for (const auto& [field, value] : list_options(options))
    text += fmt::format(" {}={}", field, value);
  return text;
}

std::vector<Tensor<double>> random_gradients(const Shape& shape, std::size_t steps) {
  std::vector<Tensor<double>> gradients;
  for (std::size_t t = 0; t < steps; ++t)
    gradients.push_back(ops::random_tensor(shape, fmt::format("optimizer gradient {}", t)));
  return gradients;
}

/// Returns the parameter after one step per gradient, computed at 100 digits without code of ref.
/// The moments are sums over all previous gradients instead of recurrences, and the bias
/// corrections are as published.
Tensor<oracle100> exact_training_result(const OptimizerOptions& options, double learning_rate,
                                        const Tensor<double>& start,
                                        const std::vector<Tensor<double>>& gradients) {
  Tensor<oracle100> p = tensor::convert<oracle100>(start);
  const oracle100 lr(learning_rate);
  const auto power = [](double base, std::size_t exponent) {
    return oracle100(numeric::mp::pow(oracle100(base), static_cast<unsigned>(exponent)));
  };
  for (std::size_t t = 1; t <= gradients.size(); ++t) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto weighted = [&](double beta, unsigned exponent) {
        oracle100 sum(0);
        for (std::size_t k = 1; k <= t; ++k)
          sum += power(beta, t - k) *
                 numeric::mp::pow(oracle100(gradients[k - 1].data()[i]), exponent);
        return sum;
      };
      const auto mean = [&](double beta, unsigned exponent) {
        return oracle100((1 - oracle100(beta)) * weighted(beta, exponent) / (1 - power(beta, t)));
      };
      const auto adam = [&](const auto& o) {
        return oracle100(mean(o.beta1, 1) / (numeric::mp::sqrt(mean(o.beta2, 2)) + o.eps));
      };
      oracle100& value = p.data()[i];
      if (const auto* sgd = std::get_if<SgdOptions>(&options)) {
        value -= lr * weighted(sgd->momentum, 1);
      } else if (const auto* o = std::get_if<AdamOptions>(&options)) {
        value -= lr * adam(*o);
      } else {
        const auto& w = std::get<AdamWOptions>(options);
        value = value - lr * w.weight_decay * value - lr * adam(w);
      }
    }
  }
  return p;
}

class OptimizerTest : public ::testing::Test {
 protected:
  void TearDown() override { ops::restore_default_settings(); }
};

TEST_F(OptimizerTest, MatchesHandComputedValues) {
  const Tensor<double> p = {1, -2};
  const std::vector<Tensor<double>> g = {{2, 4}, {-4, 0}};
  EXPECT_BITS_EQ(train_one_parameter<double>(SgdOptions{}, 0.25, p, g), (Tensor<double>{1.5, -3}));
  // With momentum 1/2, the velocities are (2, 4) and then (1, 2) + (-4, 0).
  EXPECT_BITS_EQ(train_one_parameter<double>(SgdOptions{.momentum = 0.5}, 0.25, p, g),
                 (Tensor<double>{1 - 0.5 + 0.75, -2 - 1 - 0.5}));
  // step_size = 1 / (1/2), root = sqrt(1/4), m = 1 and v = 1. The step is 2 * 1 / (1 / (1/2) + 2).
  EXPECT_BITS_EQ(train_one_parameter<double>(AdamOptions{0.5, 0.75, 2}, 1, {1}, {{2}}),
                 (Tensor<double>{0.5}));
  EXPECT_BITS_EQ(train_one_parameter<double>(AdamWOptions{0.5, 0.75, 2, 0.25}, 1, {1}, {{2}}),
                 (Tensor<double>{0.25}));
}

TEST_F(OptimizerTest, StateHasTheDocumentedNames) {
  NamedTensors<double> parameters;
  parameters.set("a", {{1, 2}, {3, 4}});
  parameters.set("b", {5});
  EXPECT_THAT(initial_optimizer_state(SgdOptions{}, parameters).moments.names(), IsEmpty());
  const auto sgd = initial_optimizer_state(SgdOptions{.momentum = 0.5}, parameters);
  EXPECT_THAT(sgd.moments.names(), ElementsAre("velocity/a", "velocity/b"));
  EXPECT_BITS_EQ(sgd.moments.at("velocity/a"), (Tensor<double>{{0, 0}, {0, 0}}));
  const OptimizerOptions options = AdamOptions{.beta1 = 0.5, .beta2 = 0.25};
  auto adam = initial_optimizer_state(options, parameters);
  EXPECT_THAT(adam.moments.names(),
              ElementsAre("beta1_power", "beta2_power", "first_moment/a", "second_moment/a",
                          "first_moment/b", "second_moment/b"));
  EXPECT_EQ(adam.step, 0);
  for (int t = 0; t < 3; ++t) optimizer_step(options, 0.1, parameters, {parameters, {}}, adam);
  EXPECT_BITS_EQ(adam.moments.at("beta1_power"), (Tensor<double>{0x1p-3}));
  EXPECT_BITS_EQ(adam.moments.at("beta2_power"), (Tensor<double>{0x1p-6}));
  EXPECT_EQ(adam.step, 3);
}

// The expected values follow docs/specification/training.md operation by operation.
TEST_F(OptimizerTest, FollowsTheSpecification) {
  const double lr = 0.037;
  for (const auto& options : all_optimizers()) {
    SCOPED_TRACE(describe_optimizer(options));
    for (const std::size_t size : {1u, 2u, 7u, 33u}) {
      Tensor<double> p = ops::random_tensor({size}, "optimizer");
      const auto gradients = random_gradients({size}, 4);
      const Tensor<double> got = train_one_parameter<double>(options, lr, p, gradients);
      std::vector<double> m(size, 0.0), v(size, 0.0);
      double beta1_power = 1, beta2_power = 1;
      for (const auto& gradient : gradients) {
        const auto adam = [&](const auto& o, double kept) {
          beta1_power = beta1_power * o.beta1;
          beta2_power = beta2_power * o.beta2;
          const double step_size = lr / (1 - beta1_power);
          const double root = numeric::square_root(1 - beta2_power);
          for (std::size_t i = 0; i < size; ++i) {
            const double g = gradient(i);
            p(i) = p(i) * kept;
            m[i] = (o.beta1 * m[i]) + ((1 - o.beta1) * g);
            v[i] = (o.beta2 * v[i]) + (((1 - o.beta2) * g) * g);
            p(i) = p(i) - (step_size * m[i]) / (numeric::square_root(v[i]) / root + o.eps);
          }
        };
        if (const auto* sgd = std::get_if<SgdOptions>(&options)) {
          for (std::size_t i = 0; i < size; ++i) {
            v[i] = sgd->momentum * v[i] + gradient(i);
            p(i) = p(i) - lr * v[i];
          }
        } else if (const auto* o = std::get_if<AdamOptions>(&options)) {
          adam(*o, 1);
        } else {
          const auto& w = std::get<AdamWOptions>(options);
          adam(w, 1 - lr * w.weight_decay);
        }
      }
      EXPECT_BITS_EQ(got, p);
    }
  }
}

TEST_F(OptimizerTest, FiveStepsMatchTheExactValues) {
  const Tensor<double> p = ops::random_tensor({3, 4}, "optimizer");
  const auto gradients = random_gradients({3, 4}, 5);
  for (const auto& options : all_optimizers()) {
    SCOPED_TRACE(describe_optimizer(options));
    const auto exact = exact_training_result(options, 0.1, p, gradients);
    const auto running = train_one_parameter<running_error>(options, 0.1, p, gradients);
    EXPECT_WITHIN(compare(running, exact));
    EXPECT_BITS_EQ(train_one_parameter<double>(options, 0.1, p, gradients), ops::values(running));
    EXPECT_WITHIN(compare(
        tensor::convert<oracle100>(train_one_parameter<oracle50>(options, 0.1, p, gradients)),
        exact, scaled_bound<oracle50>(running)));
    ops::expect_encloses(train_one_parameter<numeric::ball>(options, 0.1, p, gradients), exact);
  }
}

// The expected values were computed with PyTorch 1.13, with one step for each gradient g:
// p = torch.tensor([1, -.5, .25], dtype=torch.float64, requires_grad=True)
// torch.optim.SGD([p], lr=.1), SGD(momentum=.9), Adam, AdamW(weight_decay=.05)
TEST_F(OptimizerTest, FiveStepsMatchPyTorch) {
  const Tensor<double> p = {1.0, -0.5, 0.25};
  const std::vector<Tensor<double>> gradients = {{0.5, -0.25, 1.5},
                                                 {-2.0, 0.125, 0.75},
                                                 {1e-3, 4.0, -0.5},
                                                 {0.0, -1.0, 3.0},
                                                 {0.25, 0.5, -1.25}};
  const std::vector<std::pair<OptimizerOptions, Tensor<double>>> known = {
      {SgdOptions{}, {1.1249, -0.8375, -0.10000000000000003}},
      {SgdOptions{.momentum = 0.9}, {1.4577740000000001, -1.3846100000000001, -0.9316900000000002}},
      {AdamOptions{}, {1.0576991243802083, -0.5073936100092323, -0.1032476322859662}},
      {AdamWOptions{.weight_decay = 0.05},
       {1.0334897432360153, -0.49660198397747823, -0.10519679071946003}}};
  for (const auto& [options, expected] : known) {
    SCOPED_TRACE(describe_optimizer(options));
    EXPECT_WITHIN(compare_with_known_values(
        expected, train_one_parameter<numeric::any_order_error>(options, 0.1, p, gradients)));
  }
}

TEST_F(OptimizerTest, AdamWWithoutDecayEqualsAdam) {
  const Tensor<double> p = ops::random_tensor({50}, "optimizer");
  const auto gradients = random_gradients({50}, 3);
  EXPECT_BITS_EQ(train_one_parameter<double>(AdamWOptions{.weight_decay = 0}, 0.1, p, gradients),
                 train_one_parameter<double>(AdamOptions{}, 0.1, p, gradients));
}

/// Returns a random gradient of some rows of an embedding. The rows are drawn anew for each step,
/// and the gradient of step 2 has no rows.
nn::RowGradient<double> random_row_gradient(const Shape& shape, std::size_t step) {
  nn::RowGradient<double> gradient;
  const numeric::RandomStream random(8, fmt::format("rows {}", step));
  for (std::size_t row = 0; row < shape[0] && step != 2; ++row)
    if (random.below(row, 3) == 0) gradient.rows.push_back(row);
  gradient.values =
      ops::random_tensor({gradient.rows.size(), shape[1]}, fmt::format("row values {}", step));
  return gradient;
}
Tensor<double> to_dense_gradient(const nn::RowGradient<double>& gradient, const Shape& shape) {
  Tensor<double> dense = tensor::full_tensor<double>(shape, 0.0);
  for (std::size_t k = 0; k < gradient.rows.size(); ++k)
    for (std::size_t d = 0; d < shape[1]; ++d) dense(gradient.rows[k], d) = gradient.values(k, d);
  return dense;
}

TEST_F(OptimizerTest, RowGradientActsAsADenseGradientWithZeros) {
  for (const Shape& shape : {Shape{1, 1}, Shape{7, 3}, Shape{2000, 17}}) {
    for (const auto& options : all_optimizers()) {
      SCOPED_TRACE(describe_optimizer(options));
      NamedTensors<double> by_rows =
          make_single_parameter<double>(ops::random_tensor(shape, "embedding"));
      by_rows.at("p").data()[0] = -0.0;
      NamedTensors<double> dense = by_rows;
      auto state_by_rows = initial_optimizer_state(options, by_rows);
      auto state = state_by_rows;
      for (std::size_t step = 0; step < 5; ++step) {
        const auto gradient = random_row_gradient(shape, step);
        optimizer_step(options, 0.1, by_rows, {{}, {{"p", gradient}}}, state_by_rows);
        optimizer_step(options, 0.1, dense,
                       make_single_gradient<double>(to_dense_gradient(gradient, shape)), state);
        EXPECT_BITS_EQ(all_values(by_rows, state_by_rows), all_values(dense, state));
      }
    }
  }
}

TEST_F(OptimizerTest, GivesTheSameBitsOnEveryThreadCount) {
  const Shape shape = {3000, 7};
  for (const auto& options : all_optimizers()) {
    SCOPED_TRACE(describe_optimizer(options));
    ops::expect_same_on_every_machine_setting([&] {
      NamedTensors<double> parameters;
      parameters.set("weight", ops::random_tensor({20011}, "weight"));
      parameters.set("embedding", ops::random_tensor(shape, "embedding"));
      auto state = initial_optimizer_state(options, parameters);
      for (std::size_t step = 0; step < 3; ++step) {
        Gradients<double> gradients{{}, {{"embedding", random_row_gradient(shape, step)}}};
        gradients.dense.set("weight", random_gradients({20011}, step + 1).back());
        optimizer_step(options, 0.1, parameters, gradients, state);
      }
      return all_values(parameters, state);
    });
  }
}

}  // namespace
}  // namespace normproof::ref::train
