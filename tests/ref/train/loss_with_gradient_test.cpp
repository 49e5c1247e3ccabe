#include "ref/train/loss_with_gradient.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/ref/train/bounds.hpp"

namespace normproof::ref::train {
namespace {

using model::CrossEntropyOptions;
using model::LossReduction;
using numeric::contract_message;
using numeric::oracle100;
using numeric::running_error;
using ops::convert_elements;
using ops::random_tensor;
using verification::checks::compare::compare;

const std::vector<int> kTargets = {2, kIgnored, 0, 4, 1};
const Tensor<double> kWeights = {0.5, 1.75, 0.25, 1.25, 0.75};

Tensor<double> random_logits() {
  return random_tensor({kTargets.size(), 5}, "logits", 3);
}

std::vector<CrossEntropyOptions> every_option() {
  std::vector<CrossEntropyOptions> all;
  for (const LossReduction reduction :
       {LossReduction::mean, LossReduction::sum, LossReduction::none})
    for (const double z_loss : {0.0, 0.375})
      for (const std::optional<double> cap : {std::optional<double>{}, std::optional(2.5)})
        for (const double smoothing : {0.0, 0.25})
          all.push_back({{smoothing}, reduction, z_loss, cap});
  return all;
}

std::string describe(const CrossEntropyOptions& o) {
  return fmt::format("reduction {}, z_loss {}, soft_cap {}, smoothing {}",
                     static_cast<int>(o.reduction), o.z_loss, o.soft_cap.value_or(0),
                     o.loss.label_smoothing);
}

/// The losses at 100 digits, from the definition and without code of ref: the maximum is not
/// subtracted, and sums run from left to right.
Tensor<oracle100> exact_loss(const Tensor<oracle100>& logits, const CrossEntropyOptions& o) {
  const std::size_t rows = logits.shape(0), classes = logits.shape(1);
  const oracle100 s(o.loss.label_smoothing);
  Tensor<oracle100> losses = tensor::full_tensor<oracle100>({rows}, oracle100(0));
  oracle100 sum(0), sum_of_z(0), total(0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (kTargets[i] == kIgnored) continue;
    const auto target = static_cast<std::size_t>(kTargets[i]);
    std::vector<oracle100> x;
    oracle100 exponentials(0);
    for (std::size_t k = 0; k < classes; ++k) {
      x.push_back(logits(i, k));
      if (o.soft_cap) {
        const oracle100 cap(*o.soft_cap), e = numeric::mp::exp(oracle100(2 * x[k] / cap));
        x[k] = cap * (e - 1) / (e + 1);
      }
      exponentials += numeric::mp::exp(x[k]);
    }
    const oracle100 log = numeric::mp::log(exponentials);
    oracle100 loss(0);
    for (std::size_t k = 0; k < classes; ++k) {
      const oracle100 share = (s / classes + (k == target ? 1 - s : oracle100(0))) * kWeights(k);
      loss += share * (log - x[k]);
    }
    const oracle100 z = o.z_loss * log * log;
    sum += loss, sum_of_z += z, total += kWeights(target), ++count;
    losses(i) = loss + z;
  }
  if (o.reduction == LossReduction::none) return losses;
  if (o.reduction == LossReduction::sum) return {oracle100(sum + sum_of_z)};
  return {oracle100(sum / total + sum_of_z / count)};
}

oracle100 sum_of(const Tensor<oracle100>& losses) {
  oracle100 sum(0);
  for (const oracle100& loss : losses) sum += loss;
  return sum;
}

/// The derivative of the loss, or of the sum of the losses, by central differences at 100 digits,
/// whose error is about 1e-60.
Tensor<oracle100> exact_gradient(const Tensor<double>& logits, const CrossEntropyOptions& o) {
  Tensor<oracle100> x = convert_elements<oracle100>(logits);
  Tensor<oracle100> gradient = x;
  const oracle100 step("1e-30");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const oracle100 own = x.data()[i];
    x.data()[i] = own + step;
    const oracle100 above = sum_of(exact_loss(x, o));
    x.data()[i] = own - step;
    gradient.data()[i] = (above - sum_of(exact_loss(x, o))) / (2 * step);
    x.data()[i] = own;
  }
  return gradient;
}

template <class T>
LossWithGradient<T> computed(const Tensor<double>& logits, const CrossEntropyOptions& o) {
  return cross_entropy_with_gradient(convert_elements<T>(logits), kTargets,
                                     convert_elements<T>(kWeights), o);
}

TEST(LossWithGradient, AgreesWithTheDefinitionAndItsDerivativeForEveryOption) {
  const Tensor<double> logits = random_logits();
  for (const CrossEntropyOptions& o : every_option()) {
    SCOPED_TRACE(describe(o));
    const auto running = computed<running_error>(logits, o);
    EXPECT_WITHIN(compare(running.loss, exact_loss(convert_elements<oracle100>(logits), o)));
    EXPECT_WITHIN(compare(running.grad_logits, exact_gradient(logits, o)));
    const auto in_double = computed<double>(logits, o);
    EXPECT_BITS_EQ(in_double.loss, ops::values(running.loss));
    EXPECT_BITS_EQ(in_double.grad_logits, ops::values(running.grad_logits));
  }
}

TEST(LossWithGradient, IsCrossEntropyWithTheDefaultOptions) {
  const Tensor<double> logits = random_logits();
  for (const double smoothing : {0.0, 0.25}) {
    const auto forward = cross_entropy(logits, kTargets, kWeights, {smoothing});
    const auto found = computed<double>(logits, {.loss = {smoothing}});
    EXPECT_BITS_EQ(found.loss(0), forward.loss);
    EXPECT_BITS_EQ(found.grad_logits, cross_entropy_backward(forward.log_probabilities, kTargets,
                                                             kWeights, {smoothing}));
  }
}

TEST(LossWithGradient, MatchesHandComputedValues) {
  const double log_2 = numeric::log(2.0);
  const Tensor<double> logits = {{0, 0}, {0, 0}, {0, 0}};
  const std::vector<int> targets = {0, kIgnored, 1};
  const auto loss = [&](const CrossEntropyOptions& o) {
    return cross_entropy_with_gradient(logits, targets, {}, o);
  };
  EXPECT_BITS_EQ(loss({.reduction = LossReduction::sum}).loss(0), log_2 + log_2);
  EXPECT_BITS_EQ(loss({.reduction = LossReduction::none}).loss, (Tensor<double>{log_2, 0, log_2}));
  EXPECT_BITS_EQ(loss({.reduction = LossReduction::none}).grad_logits,
                 (Tensor<double>{{-0.5, 0.5}, {0, 0}, {0.5, -0.5}}));
  // The log-sum-exp of a row is log 2, so that the z-loss of each is 0.5 log^2 2.
  EXPECT_BITS_EQ(loss({.z_loss = 0.5}).loss(0), log_2 + log_2 * log_2 * 0.5);
  EXPECT_BITS_EQ(loss({.reduction = LossReduction::sum, .z_loss = 0.5}).grad_logits(0, 1),
                 0.5 + 0.5 * log_2);
}

TEST(LossWithGradient, ACapBoundsTheLogitsAndItsDerivativeVanishesFarBeyondIt) {
  const Tensor<double> logits = {{1000, -1000}};
  const auto found = cross_entropy_with_gradient(logits, {1}, {}, {.soft_cap = 4});
  EXPECT_NEAR(found.loss(0), 8, 1e-3);
  for (const double g : found.grad_logits) EXPECT_EQ(g, 0);
}

TEST(LossWithGradient, C9_RejectsANegativeOrInfiniteZLoss) {
  for (const double z_loss : {-0.5, numeric::kInfinity, numeric::kNaN})
    EXPECT_NE(contract_message([&] {
                computed<double>(random_logits(), {.z_loss = z_loss});
              }).find("z_loss >= 0 (C9)"),
              std::string::npos);
}

TEST(LossWithGradient, C10_RejectsACapThatIsNotAbove0) {
  for (const double cap : {-1.0, 0.0, numeric::kInfinity, numeric::kNaN})
    EXPECT_NE(contract_message([&] {
                computed<double>(random_logits(), {.soft_cap = cap});
              }).find("soft_cap > 0 (C10)"),
              std::string::npos);
}

}  // namespace
}  // namespace normproof::ref::train
