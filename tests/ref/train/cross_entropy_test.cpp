#include "ref/train/cross_entropy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "ref/ops/softmax.hpp"
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
using ops::convert_elements;
using ops::random_tensor;
using tensor::Shape;
using verification::checks::compare::compare;

/// The arguments of cross_entropy: the logits of a batch, its targets, and the options of the loss.
struct LossCase {
  Tensor<double> logits;
  std::vector<int> targets;
  Tensor<double> class_weights;
  double smoothing = 0;

  std::string name() const {
    return fmt::format("{}, {} weights, smoothing {}", tensor::to_string(shape_of(logits)),
                       tensor::is_given(class_weights) ? "with" : "no", smoothing);
  }
};

/// Returns a case with random logits and targets. Every third row is ignored.
LossCase random_case(const Shape& shape, bool weighted, double smoothing) {
  LossCase c{random_tensor(shape, "logits", 2), {}, {}, smoothing};
  const numeric::RandomStream random(8, "targets");
  for (std::size_t i = 0; i < shape[0]; ++i)
    c.targets.push_back(i % 3 == 1 ? kIgnored : static_cast<int>(random.below(i, shape[1])));
  if (!weighted) return c;
  c.class_weights = tensor::empty_tensor<double>({shape[1]});
  for (std::size_t k = 0; k < shape[1]; ++k) c.class_weights(k) = 0.1 + random.uniform(1000 + k);
  return c;
}
std::vector<LossCase> random_cases(const std::vector<Shape>& shapes) {
  std::vector<LossCase> cases;
  for (const Shape& shape : shapes)
    for (const bool weighted : {false, true})
      for (const double smoothing : {0.0, 0.1, 1.0})
        cases.push_back(random_case(shape, weighted, smoothing));
  return cases;
}

template <class T>
Tensor<T> compute_case_loss(const LossCase& c, const Tensor<T>& logits) {
  return {
      cross_entropy(logits, c.targets, convert_elements<T>(c.class_weights), {c.smoothing}).loss};
}
template <class T>
Tensor<T> loss(const LossCase& c) {
  return compute_case_loss(c, convert_elements<T>(c.logits));
}
template <class T>
Tensor<T> gradient(const LossCase& c) {
  const auto weights = convert_elements<T>(c.class_weights);
  const auto forward =
      cross_entropy(convert_elements<T>(c.logits), c.targets, weights, {c.smoothing});
  return cross_entropy_backward(forward.log_probabilities, c.targets, weights, {c.smoothing});
}

/// The loss and its gradient at 100 digits, computed from the definition without code of ref: the
/// cross-entropy with the smoothed and weighted target distribution. The maximum is not subtracted,
/// sums run from left to right, and the derivative is computed from the softmax.
struct ExactLoss {
  Tensor<oracle100> loss;
  Tensor<oracle100> grad_logits;
};
ExactLoss exact_loss(const LossCase& c) {
  const std::size_t classes = c.logits.shape(1);
  const auto weight = [&](std::size_t k) {
    return oracle100(tensor::is_given(c.class_weights) ? c.class_weights(k) : 1.0);
  };
  ExactLoss d{{oracle100(0)}, tensor::full_tensor<oracle100>(shape_of(c.logits), oracle100(0))};
  const oracle100 s(c.smoothing);
  oracle100 total(0);
  for (std::size_t i = 0; i < c.targets.size(); ++i) {
    if (c.targets[i] == kIgnored) continue;
    const auto target = static_cast<std::size_t>(c.targets[i]);
    total += weight(target);
    oracle100 sum(0);
    for (std::size_t k = 0; k < classes; ++k) sum += numeric::mp::exp(oracle100(c.logits(i, k)));
    for (std::size_t k = 0; k < classes; ++k) {
      oracle100 share = s / classes * weight(k);
      if (k == target) share += (1 - s) * weight(k);
      d.loss(0) -= share * (c.logits(i, k) - numeric::mp::log(sum));
      for (std::size_t j = 0; j < classes; ++j) {
        const oracle100 p = numeric::mp::exp(oracle100(c.logits(i, j))) / sum;
        d.grad_logits(i, j) -= share * ((j == k ? 1 : 0) - p);
      }
    }
  }
  d.loss(0) /= total;
  for (auto& g : d.grad_logits) g /= total;
  return d;
}

class CrossEntropyTest : public ::testing::Test {
 protected:
  void TearDown() override { ops::restore_default_settings(); }
};

TEST_F(CrossEntropyTest, MatchesHandComputedValues) {
  const double log_2 = numeric::log(2.0);
  const Tensor<double> logits = {{7, 7}, {0, 0}};
  const auto plain = cross_entropy(logits, {0, 1});
  EXPECT_BITS_EQ(plain.loss, log_2);
  EXPECT_BITS_EQ(plain.log_probabilities, (Tensor<double>{{-log_2, -log_2}, {-log_2, -log_2}}));
  EXPECT_BITS_EQ(cross_entropy_backward(plain.log_probabilities, {0, 1}),
                 (Tensor<double>{{-0.25, 0.25}, {0.25, -0.25}}));
  // The class weights are 1 and 3, with the sum 4. The last case has an ignored row.
  const Tensor<double> weights = {1, 3};
  const auto weighted = cross_entropy(logits, {0, 1}, weights);
  EXPECT_BITS_EQ(weighted.loss, (log_2 + 3 * log_2) / 4);
  EXPECT_BITS_EQ(cross_entropy_backward(weighted.log_probabilities, {0, 1}, weights),
                 (Tensor<double>{{-0.125, 0.125}, {0.375, -0.375}}));
  EXPECT_BITS_EQ(cross_entropy_backward(weighted.log_probabilities, {kIgnored, 1}, weights),
                 (Tensor<double>{{0, 0}, {0.5, -0.5}}));
  // With smoothing 1/2, the target distribution of row 0 is (1/2) 1 + (1/4) 1 = 3/4 and
  // (1/4) 3 = 3/4. The sum is 3/2.
  const auto smoothed = cross_entropy(logits, {0, 1}, weights, {0.5});
  EXPECT_BITS_EQ(cross_entropy_backward(smoothed.log_probabilities, {0, 1}, weights, {0.5}),
                 (Tensor<double>{{0, 0}, {0.25, -0.25}}));
}

// The expected values follow docs/specification/training.md operation by operation.
TEST_F(CrossEntropyTest, FollowsTheSpecification) {
  for (const LossCase& c : random_cases({{1, 1}, {2, 3}, {100, 3}, {40, 33}, {3, 200}})) {
    SCOPED_TRACE(c.name());
    const std::size_t classes = c.logits.shape(1);
    const double s = c.smoothing, share = s / static_cast<double>(classes);
    std::vector<double> weights(classes, 1.0), losses, target_weights;
    if (tensor::is_given(c.class_weights))
      weights.assign(c.class_weights.begin(), c.class_weights.end());
    const Tensor<double> logp = ops::log_softmax(c.logits);
    for (std::size_t i = 0; i < c.targets.size(); ++i) {
      if (c.targets[i] == kIgnored) continue;
      const auto t = static_cast<std::size_t>(c.targets[i]);
      std::vector<double> terms;
      for (std::size_t k = 0; k < classes; ++k) terms.push_back(weights[k] * -logp(i, k));
      target_weights.push_back(weights[t]);
      losses.push_back((1 - s) * terms[t]);
      if (s > 0) losses.back() += share * ops::sum_in_32_lanes(terms);
    }
    const double total = ops::sum_in_32_lanes(target_weights);
    const auto forward = cross_entropy(c.logits, c.targets, c.class_weights, {s});
    EXPECT_BITS_EQ(forward.log_probabilities, logp);
    EXPECT_BITS_EQ(forward.loss, ops::sum_in_32_lanes(losses) / total);
    const Tensor<double> got = cross_entropy_backward(logp, c.targets, c.class_weights, {s});
    const double sum_of_weights = ops::sum_in_32_lanes(weights);
    for (std::size_t i = 0; i < c.targets.size(); ++i) {
      for (std::size_t k = 0; k < classes; ++k) {
        double expected = 0;
        if (c.targets[i] != kIgnored) {
          const auto t = static_cast<std::size_t>(c.targets[i]);
          const double q = (1 - s) * weights[t] + share * sum_of_weights;
          const double own = (k == t ? (1 - s) * weights[t] : 0) + share * weights[k];
          expected = (numeric::exp(logp(i, k)) * q - own) / total;
        }
        EXPECT_BITS_EQ(got(i, k), expected);
      }
    }
  }
}

// The expected values were computed with PyTorch 1.13:
// import torch, torch.nn.functional as F
// F.cross_entropy(logits, targets, weight=w or None, ignore_index=-1, label_smoothing=s),
// backward()
TEST_F(CrossEntropyTest, MatchesPyTorch) {
  const Tensor<double> logits = {
      {0.5, -1.25, 2.0}, {1.5, 0.25, -0.75}, {-2.0, 3.0, 0.125}, {0.0, 1.0, -1.0}};
  struct PyTorchResult {
    bool weighted;
    double smoothing, loss;
    Tensor<double> grad_logits;
  };
  const std::vector<PyTorchResult> known = {
      {false,
       0.0,
       0.3236335189845457,
       {{0.05894006070248143, 0.01024224677547881, -0.06918230747796024},
        {-0.09385321961631168, 0.06861220133255051, 0.02524101828376117},
        {0, 0, 0},
        {0.08157615701826587, -0.1115863480750594, 0.030010191056793478}}},
      {false,
       0.1,
       0.4486335189845457,
       {{0.047828949591370316, -0.0008688643356323014, -0.04696008525573804},
        {-0.07163099739408944, 0.05750109022143941, 0.014129907172650063},
        {0, 0, 0},
        {0.07046504590715477, -0.08936412585283716, 0.01889907994568237}}},
      {true,
       0.0,
       0.33902018999197703,
       {{0.05894006070248143, 0.01024224677547881, -0.06918230747796024},
        {-0.037541287846524676, 0.027444880533020206, 0.010096407313504469},
        {0, 0, 0},
        {0.1305218512292254, -0.17853815692009506, 0.048016305690869565}}},
      {true,
       0.1,
       0.4758148562245672,
       {{0.05449561625803699, -0.0075355310022989655, -0.046960085255738054},
        {-0.014283592134614508, 0.013783834835195458, 0.0004997572994190263},
        {0, 0, 0},
        {0.121182837363685, -0.156287420480036, 0.03510458311635084}}}};
  for (const PyTorchResult& k : known) {
    LossCase c{logits, {2, 0, -1, 1}, {}, k.smoothing};
    if (k.weighted) c.class_weights = {0.5, 2.0, 1.25};
    SCOPED_TRACE(c.name());
    EXPECT_WITHIN(compare_with_known_values({k.loss}, loss<numeric::any_order_error>(c)));
    EXPECT_WITHIN(compare_with_known_values(k.grad_logits, gradient<numeric::any_order_error>(c)));
  }
}

TEST_F(CrossEntropyTest, DoubleResultsAreWithinTheRunningErrorBound) {
  for (const LossCase& c : random_cases({{1, 1}, {2, 3}, {37, 3}, {4, 65}})) {
    SCOPED_TRACE(c.name());
    const ExactLoss exact = exact_loss(c);
    const auto running = loss<running_error>(c);
    const auto running_gradient = gradient<running_error>(c);
    EXPECT_WITHIN(compare(running, exact.loss));
    EXPECT_WITHIN(compare(running_gradient, exact.grad_logits));
    EXPECT_BITS_EQ(loss<double>(c), ops::values(running));
    EXPECT_BITS_EQ(gradient<double>(c), ops::values(running_gradient));
  }
}

TEST_F(CrossEntropyTest, IntervalAndBallResultsContainTheExactValues) {
  for (const LossCase& c : random_cases({{2, 3}, {9, 5}})) {
    SCOPED_TRACE(c.name());
    const ExactLoss exact = exact_loss(c);
    ops::expect_encloses(loss<numeric::interval>(c), exact.loss);
    ops::expect_encloses(loss<numeric::ball>(c), exact.loss);
    ops::expect_encloses(gradient<numeric::interval>(c), exact.grad_logits);
    ops::expect_encloses(gradient<numeric::ball>(c), exact.grad_logits);
  }
}

// Tests all numbers of rows and of classes up to 3, every combination of targets and ignored rows,
// and three values of the smoothing, with and without class weights.
TEST_F(CrossEntropyTest, BackwardIsTheDerivative) {
  std::size_t cases = 0;
  for (std::size_t rows = 1; rows <= 3; ++rows) {
    for (std::size_t classes = 1; classes <= 3; ++classes) {
      std::size_t combinations = 1;
      for (std::size_t i = 0; i < rows; ++i) combinations *= classes + 1;
      // The loop begins at 1, because combination 0 ignores every row.
      for (std::size_t number = 1; number < combinations; ++number) {
        for (const bool weighted : {false, true}) {
          for (const double smoothing : {0.0, 0.25, 1.0}) {
            LossCase c = random_case({rows, classes}, weighted, smoothing);
            for (std::size_t i = 0, rest = number; i < rows; ++i, rest /= classes + 1)
              c.targets[i] = static_cast<int>(rest % (classes + 1)) - 1;
            SCOPED_TRACE(fmt::format("{}, targets {}", c.name(), number));
            ops::expect_derivative([&](const auto& at) { return compute_case_loss(c, at); },
                                   c.logits, {1.0}, gradient<oracle50>(c),
                                   gradient<running_error>(c));
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 6u * (1 + 2 + 3 + 3 + 8 + 15 + 7 + 26 + 63));
}

TEST_F(CrossEntropyTest, IgnoredRowsDoNotChangeLossOrGradient) {
  for (const LossCase& c : random_cases({{100, 5}})) {
    SCOPED_TRACE(c.name());
    LossCase kept = c;
    kept.targets.clear();
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < c.targets.size(); ++i) {
      if (c.targets[i] == kIgnored) continue;
      rows.push_back(i);
      kept.targets.push_back(c.targets[i]);
    }
    kept.logits = tensor::empty_tensor<double>({rows.size(), 5});
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t j = 0; j < 5; ++j) kept.logits(k, j) = c.logits(rows[k], j);
    EXPECT_BITS_EQ(loss<double>(c), loss<double>(kept));
    const Tensor<double> got = gradient<double>(c), expected = gradient<double>(kept);
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t j = 0; j < 5; ++j) EXPECT_BITS_EQ(got(rows[k], j), expected(k, j));
    for (std::size_t j = 0; j < 5; ++j) EXPECT_BITS_EQ(got(1, j), 0.0);
  }
}

TEST_F(CrossEntropyTest, WeightsOfOneGiveTheSameResultAsNoWeights) {
  for (const double smoothing : {0.0, 0.1}) {
    const LossCase plain = random_case({50, 7}, false, smoothing);
    LossCase ones = plain;
    ones.class_weights = tensor::full_tensor<double>({7}, 1.0);
    EXPECT_BITS_EQ(loss<double>(plain), loss<double>(ones));
    EXPECT_BITS_EQ(gradient<double>(plain), gradient<double>(ones));
  }
}

TEST_F(CrossEntropyTest, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  for (const LossCase& c : random_cases({{1, 3}, {9000, 3}, {200, 301}})) {
    SCOPED_TRACE(c.name());
    ops::expect_same_on_every_machine_setting([&] { return loss<double>(c); });
    ops::expect_same_on_every_machine_setting([&] { return gradient<double>(c); });
  }
}

}  // namespace
}  // namespace normproof::ref::train
