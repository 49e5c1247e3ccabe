#include "verification/checks/lipschitz/lipschitz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"
#include "tests/verification/checks/lipschitz/brute_force.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/checks/lipschitz/normalized.hpp"

namespace normproof::tests::verification::checks::lipschitz {
namespace {

using namespace normproof::verification::checks::lipschitz;
using namespace tests::verification::checks::evaluation;
namespace model = normproof::ref::model;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::RandomStream;
using normproof::ref::tensor::Tensor;
using testing::HasSubstr;

/// The allowed relative gap between upper and lower bound. The largest eigenvalue has a relative
/// error of 2^-40. Its root and the gradients in double add a few ulps.
constexpr double kMaxRelativeGap = 0x1p-39;

const oracle100 kDifferenceError("1e-30");  // error of central differences, with a margin

LayerFunction map_of(const std::string& layer, const Shape& shape,
                     const std::vector<std::pair<std::string, std::string>>& settings = {},
                     model::Mode mode = model::Mode::training) {
  model::NormOptions options = model::norm_options(layer);
  if (layer == "batch_norm") model::set_option(options, "unbiased_running_variance", "0");
  for (const auto& [field, value] : settings) model::set_option(options, field, value);
  const auto inputs = normproof::verification::checks::evaluation::eval_inputs(
      "", sample_tensors(layer, shape), options, mode, false);
  return {options, inputs.steps.front(), inputs.state};
}

Lipschitz certify_layer(const LayerFunction& map, double radius = 0) {
  return certify(map.options, map.inputs, map.state, radius);
}

/// Returns, for each part of the Jacobian that the certified result lists, the indices of the
/// elements of x in this part.
std::vector<std::vector<std::size_t>> elements(const LayerFunction& map, const Lipschitz& result) {
  const std::size_t width = map.inputs.x.shape().back(), rows = map.inputs.x.size() / width;
  std::vector<std::vector<std::size_t>> all;
  for (const std::size_t part : result.parts) {
    all.emplace_back();
    for (std::size_t row = 0; row < rows; ++row) {
      const bool real =
          !normproof::ref::tensor::is_given(map.inputs.valid) || map.inputs.valid.data()[row];
      for (std::size_t d = 0; d < width; ++d)
        if (real && part == (result.kind == PartKind::row ? row : d))
          all.back().push_back(row * width + d);
    }
  }
  return all;
}

/// Expects the enclosure of each part's norm to contain the true norm and to have at most the
/// relative width `gap`. The Jacobian must be 0 outside the parts.
void expect_enclosed_jacobian_norms(const LayerFunction& map, double gap) {
  const Lipschitz result = certify_layer(map);
  const Matrix j = map.jacobian(to_oracle_vector(map.inputs.x));
  const auto parts = elements(map, result);
  std::vector<int> part_of_element(map.inputs.x.size(), -1);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const std::size_t i : parts[p]) part_of_element[i] = static_cast<int>(p);
    const oracle100 norm = spectral_norm(select_square_block(j, parts[p]));
    const Enclosure& found = result.at.norms[p];
    EXPECT_LE(oracle100(found.lower), norm + kDifferenceError) << p;
    EXPECT_GE(oracle100(found.upper), norm - kDifferenceError) << p;
    EXPECT_LE(found.upper - found.lower, gap * found.upper) << p;
    EXPECT_LE(found.upper, found.theory) << p;
  }
  for (std::size_t a = 0; a < part_of_element.size(); ++a)
    for (std::size_t b = 0; b < part_of_element.size(); ++b)
      if (part_of_element[a] >= 0 && part_of_element[b] >= 0 &&
          part_of_element[a] != part_of_element[b]) {
        EXPECT_LE(abs(j[a][b]), kDifferenceError);
      }
}

TEST(LipschitzBounds, JacobianNormsMatchDifferenceQuotientsOfEveryLayer) {
  for (const std::string& layer : layer_names()) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 2}, Shape{2, 1}, Shape{2, 2}, Shape{4, 3},
                               Shape{3, 5}, Shape{2, 3, 3}}) {
      SCOPED_TRACE(layer + " " + normproof::ref::tensor::to_string(shape));
      expect_enclosed_jacobian_norms(map_of(layer, shape), 1e-9);
    }
  }
}

TEST(LipschitzBounds, JacobianNormsMatchDifferenceQuotientsInInferenceAndWarmUp) {
  for (const char* layer : {"batch_norm", "power_norm_v", "power_norm"})
    expect_enclosed_jacobian_norms(map_of(layer, {4, 3}, {}, model::Mode::inference), 1e-9);
  const LayerFunction warm = map_of("power_norm", {4, 3}, {{"warmup_iterations", "3"}});
  expect_enclosed_jacobian_norms(warm,
                                 1e-9);  // after 2 iterations, this is the last step of warm-up
  EXPECT_EQ(certify_layer(warm).theory, "|gamma|/psi");
  const LayerFunction behind = map_of("power_norm", {4, 3}, {{"warmup_iterations", "2"}});
  expect_enclosed_jacobian_norms(behind, 1e-9);
  EXPECT_EQ(certify_layer(behind).theory, "|gamma|/running psi");
}

TEST(LipschitzBounds, EncloseTheJacobianNormsForHardInputs) {
  LayerFunction map = map_of("layer_norm", {3, 5}, {{"eps", "1e-12"}});
  map.inputs.valid = {};
  const std::vector<double> offset = {1e8, 1e8 + 1, 1e8 - 2, 1e8 + 0.5, 1e8 + 3};
  const std::vector<double> same(5, 3.0), tiny = {1e-9, 0, -1e-9, 3e-9, 0};
  for (std::size_t d = 0; d < 5; ++d) {
    map.inputs.x.data()[d] = offset[d];
    map.inputs.x.data()[5 + d] = same[d];
    map.inputs.x.data()[10 + d] = tiny[d];
  }
  expect_enclosed_jacobian_norms(map, 1e-9);
  for (const std::vector<double>& gamma : {std::vector<double>{2, -2, 2, 2, -2},
                                           {0, 0, 0, 0, 0},
                                           {7, 0, 0, 0, 0},
                                           {1, 1, 1, 1, 1e-3},
                                           {1, 1 + 1e-15, 1, 1 - 1e-12, 1},
                                           {9, 8, 1e-3, 1e-4, 0}}) {
    std::copy(gamma.begin(), gamma.end(), map.inputs.gamma.data());
    expect_enclosed_jacobian_norms(map, 1e-9);
  }
}

TEST(LipschitzBounds, HoldForEverySlopeInTheBall) {
  constexpr double kBallRadius = 0.75;
  for (const std::string& layer : layer_names()) {
    SCOPED_TRACE(layer);
    const LayerFunction map = map_of(layer, {4, 3});
    const Lipschitz result = certify_layer(map, kBallRadius);
    const auto parts = elements(map, result);
    const auto x = to_oracle_vector(map.inputs.x);
    const auto y = map(x);
    const RandomStream random(5, "ball");
    for (std::size_t trial = 0; trial < 30; ++trial) {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        std::vector<oracle100> there = x;
        oracle100 length = 0;
        for (std::size_t k = 0; k < parts[p].size(); ++k) {
          const oracle100 step = random.normal(100 * trial + 10 * p + k);
          there[parts[p][k]] += step;
          length += step * step;
        }
        const oracle100 share = kBallRadius / sqrt(length) * (trial % 2 == 0 ? 1 : 0.1);
        for (const std::size_t i : parts[p]) there[i] = x[i] + (there[i] - x[i]) * share;
        const auto moved = map(there);
        oracle100 change = 0;
        for (const std::size_t i : parts[p]) change += (moved[i] - y[i]) * (moved[i] - y[i]);
        const Enclosure& around = result.around.norms[p];
        EXPECT_LE(sqrt(change), around.upper * share * sqrt(length));
        EXPECT_GE(around.upper, result.at.norms[p].upper);
        if (trial < 3) {
          EXPECT_LE(spectral_norm(select_square_block(map.jacobian(there), parts[p])),
                    around.upper + kDifferenceError);
        }
      }
    }
  }
}

TEST(LipschitzBounds, LowerBoundIsAttainedInTheBall) {
  // The lower bound is attained at a point found by ascent, which stops a few digits short of the
  // maximum.
  constexpr double kAscentTolerance = 1e-6;
  for (const double radius : {1e-3, 0.75, 40.0}) {
    for (const std::string& layer : layer_names()) {
      SCOPED_TRACE(layer);
      const LayerFunction map = map_of(layer, {4, 3});
      const Lipschitz result = certify_layer(map, radius);
      const auto parts = elements(map, result);
      const auto there = to_oracle_vector(result.around.x);
      const Matrix j = map.jacobian(there);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        oracle100 square = 0;
        for (const std::size_t i : parts[p]) {
          const oracle100 step = there[i] - oracle100(map.inputs.x.data()[i]);
          square += step * step;
        }
        EXPECT_LE(square, oracle100(radius) * radius);
        const Enclosure& around = result.around.norms[p];
        const oracle100 norm = spectral_norm(select_square_block(j, parts[p]));
        EXPECT_LE(oracle100(around.lower), norm + kDifferenceError);
        EXPECT_GE(oracle100(around.lower), norm * (1 - oracle100("1e-9")));
        // The lower and the upper bound agree if a part has one gamma and if no point of the ball
        // has a steeper slope.
        if (result.kind == PartKind::channel || radius == 40) {
          EXPECT_LE(around.upper - around.lower, kAscentTolerance * around.upper);
        }
      }
    }
  }
}

TEST(LipschitzBounds, BackwardAttainsTheJacobianNorm) {
  const LayerFunction map = map_of("layer_norm", {2, 3, 4});
  const Lipschitz result = certify_layer(map);
  auto inputs = map.inputs;
  inputs.grad_y = result.at.grad_y;
  const auto step = normproof::ref::norm::norm_step<double>(map.options, inputs, map.state);
  const auto& grad_x = step.outputs.at("grad_x");
  for (std::size_t p = 0; p < result.parts.size(); ++p) {
    double in = 0, out = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      const std::size_t i = 4 * result.parts[p] + d;
      in += inputs.grad_y.data()[i] * inputs.grad_y.data()[i];
      out += grad_x.data()[i] * grad_x.data()[i];
    }
    EXPECT_NEAR(std::sqrt(out / in), result.at.norms[p].upper,
                kMaxRelativeGap * result.at.norms[p].upper);
  }
}

TEST(LipschitzBounds, WrongJacobianContradictsTheBackward) {
  // With four times eps, or without subtracting the mean, the upper bound falls below a gain that
  // the layer attains.
  const LayerFunction map = map_of("layer_norm", {1, 4}, {{"eps", "0.5"}});
  const Enclosure right = certify_layer(map).at.norms[0];
  const std::vector<double> gamma(map.inputs.gamma.begin(), map.inputs.gamma.end());
  const std::vector<double> x(map.inputs.x.begin(), map.inputs.x.end());
  EXPECT_LT(NormalizedJacobian(gamma, 2, true).at(x).norm, right.lower);
  EXPECT_LT(NormalizedJacobian(gamma, 0.5, false).at(x).norm, right.lower);
  EXPECT_EQ(NormalizedJacobian(gamma, 0.5, true).at(x).norm, right.upper);
}

TEST(LipschitzBounds, CertifyingOnlyTheSteepestPartsGivesTheSameBounds) {
  for (const std::string& layer : layer_names()) {
    SCOPED_TRACE(layer);
    const LayerFunction map = map_of(layer, {2, 4, 3});
    const auto all = certify_layer(map, 0.5);
    const auto some = certify(map.options, map.inputs, map.state, 0.5, 2);
    for (const auto norms : {&Lipschitz::at, &Lipschitz::around}) {
      EXPECT_EQ(largest((some.*norms).norms).lower, largest((all.*norms).norms).lower);
      std::size_t asked = 0;
      for (std::size_t p = 0; p < all.parts.size(); ++p) {
        EXPECT_EQ((some.*norms).norms[p].upper, (all.*norms).norms[p].upper);
        if ((some.*norms).norms[p].lower == 0) continue;
        ++asked;
        EXPECT_EQ((some.*norms).norms[p].lower, (all.*norms).norms[p].lower);
      }
      EXPECT_EQ(asked, 2u);
    }
  }
}

TEST(LipschitzBounds, EncloseDyTFarFromZero) {
  LayerFunction map = map_of("dyt", {2, 2});
  map.inputs.others.set("alpha", Tensor<double>{2.0});
  for (std::size_t i = 0; i < 4; ++i) map.inputs.x.data()[i] = 60.0 + static_cast<double>(i);
  for (const Enclosure& norm : certify_layer(map).at.norms) {
    EXPECT_GT(norm.lower, 0);
    EXPECT_LE(norm.upper - norm.lower, kMaxRelativeGap * norm.upper);
  }
}

TEST(Certify, C1_RejectsLayersWithoutABoundByName) {
  const auto sentence = contract_message([] { certify_layer(map_of("group_norm", {2, 4})); });
  EXPECT_THAT(sentence, HasSubstr("is group_norm; expected one of batch_norm, layer_norm"));
}

TEST(Certify, C2_RejectsNegativeOrNonFiniteRadius) {
  const LayerFunction map = map_of("rms_norm", {2, 2});
  for (const double radius : {-1.0, std::nan(""), HUGE_VAL})
    EXPECT_THAT(contract_message([&] { certify_layer(map, radius); }),
                HasSubstr("expected a finite number, 0 or more (C2)"));
}

TEST(Certify, C3_RejectsInputOfOnlyPadding) {
  LayerFunction map = map_of("layer_norm", {2, 2});
  for (std::size_t i = 0; i < 2; ++i) map.inputs.valid.data()[i] = false;
  EXPECT_THAT(contract_message([&] { certify_layer(map); }), HasSubstr("valid is true nowhere"));
}

TEST(Certify, C4_RejectsZeroPartsForWhichTheNormMustBeAttained) {
  const LayerFunction map = map_of("rms_norm", {2, 2});
  EXPECT_EQ(contract_message([&] { certify(map.options, map.inputs, map.state, 0, 0); }),
            "lipschitz: attained is 0; expected 1 or more (C4)");
}

TEST(LipschitzBounds, InputThatTheLayerRejectsIsRejected) {
  LayerFunction map = map_of("layer_norm", {2, 2});
  map.inputs.x.data()[1] = std::nan("");
  EXPECT_THAT(contract_message([&] { certify_layer(map); }),
              HasSubstr("x has the element [0, 1] = nan"));
}

}  // namespace
}  // namespace normproof::tests::verification::checks::lipschitz
