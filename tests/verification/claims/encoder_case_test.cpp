#include "verification/claims/encoder_case.hpp"

#include <gtest/gtest.h>

#include "ref/ops/matmul.hpp"
#include "verification/claims/encoders.hpp"

namespace normproof::verification::claims {
namespace {

using ref::model::NormPlacement;

TEST(EncoderCase, IsTheEncoderOfItsWeights) {
  EncoderCase c{.tokens = 2, .d_model = 2, .eps = 0.25};
  c.placement = NormPlacement::pre;
  c.x = {1, 3, 5, 9};
  c.grad_y = {1, 0, 0, 0};
  c.layers = {{{0, 1, 0, 0}, {1, 0, 0, 1}, {0, 0, 0, 0}}};
  const auto step = run_stack(c.inputs<double>());
  const auto& normed = step.values.at("layers.0.norm1.y");
  // Attention is the mean over tokens times W_V: here element 1 goes to element 0.
  const double attended = (normed.data()[1] + normed.data()[3]) / 2;
  EXPECT_EQ(step.y.data()[0], 1 + attended);
  EXPECT_EQ(step.y.data()[1], 3);
  EXPECT_EQ(step.y.data()[2], 5 + attended);
}

TEST(EncoderCase, IsShownInFull) {
  EncoderCase c{.d_model = 2, .eps = 1};
  c.x = {1, 0.5};
  c.grad_y = {0, -1};
  c.layers = {{{0, 0, 0, 0}, {1, 0, 0, 2}, {0, 0, 0, 0}}};
  EXPECT_EQ(show(c),
            "x = ((1, 0.5)), grad_y = ((0, -1)), eps = 1, layer 0: W_1 = ((1, 0), (0, 2))");
}

TEST(Encoders, KeepTheirKind) {
  const EncoderKind kind{.placement = NormPlacement::pre, .most_tokens = 3, .orthogonal = true};
  const auto generator = encoders(kind);
  claims::Run run;
  for (std::size_t i = 0; i < 50; ++i) {
    const EncoderCase c = generator(random_of(run, i), rc::kNominalSize).value();
    EXPECT_LE(c.tokens, 3u);
    EXPECT_GE(c.d_model, 3u);
    EXPECT_EQ(c.x.size(), c.tokens * c.d_model);
    for (const LayerWeights& w : c.layers)
      for (const auto* matrix : {&w.value, &w.first, &w.second})
        for (std::size_t k = 0; k < c.d_model; ++k) {
          int in_row = 0, in_column = 0;
          for (std::size_t j = 0; j < c.d_model; ++j) {
            in_row += (*matrix)[k * c.d_model + j] != 0 ? 1 : 0;
            in_column += (*matrix)[j * c.d_model + k] != 0 ? 1 : 0;
          }
          EXPECT_EQ(in_row, 1);
          EXPECT_EQ(in_column, 1);
        }
  }
}

TEST(Encoders, ShrinkWithinTheKind) {
  const auto generator = encoders({.least_d_model = 2, .positive_eps = true});
  const auto shrinkable = generator(random_of({}, 3), rc::kNominalSize);
  auto shrinks = shrinkable.shrinks();
  std::size_t count = 0;
  for (auto next = shrinks.next(); next; next = shrinks.next(), ++count) {
    const EncoderCase c = next->value();
    EXPECT_GT(c.eps, 0);
    EXPECT_GE(c.layers.size(), 1u);
    EXPECT_NO_THROW(run_stack(c.inputs<double>()));
  }
  EXPECT_GT(count, 10u);
}

TEST(GaussianNetwork, IsAFunctionOfSeedClaimKindAndIndex) {
  claims::Run run;
  run.claim = "E2";
  const auto x = [](const claims::Run& r, const char* kind, std::size_t index) {
    return gaussian_network(r, kind, index, 1, 4, 2).layers[1].second;
  };
  const auto base = x(run, "a", 0);
  EXPECT_EQ(x(run, "a", 0), base);
  EXPECT_NE(x(run, "b", 0), base);
  EXPECT_NE(x(run, "a", 1), base);
  claims::Run other = run;
  other.seed = 2;
  EXPECT_NE(x(other, "a", 0), base);
  other = run;
  other.claim = "E3";
  EXPECT_NE(x(other, "a", 0), base);
}

// W v is ||v||/sqrt(d) times the normal numbers that are drawn, for the v that W meets in the
// encoder itself: v lies along the rows of W, up to rounding in double.
TEST(NetworkInLaw, HasWeightsAlongWhatTheyMeet) {
  claims::Run run;
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    const EncoderCase c = network_in_law(run, placement, 5, 4, 2);
    const auto step = run_stack(c.inputs<double>());
    const bool post = placement == NormPlacement::post;
    for (std::size_t l = 0; l < 2; ++l) {
      const auto& met = step.values.at(layer_value(l, post ? "norm1.y" : "norm2.y"));
      const auto& inner = step.values.at(layer_value(l, "feed_forward.inner"));
      const auto& w = c.layers[l].first;
      double image2 = 0, norm2 = 0, length2 = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        image2 += inner.data()[i] * inner.data()[i];
        length2 += met.data()[i] * met.data()[i];
      }
      for (const double v : w) norm2 += v * v;
      // Cauchy-Schwarz is attained by a matrix of rank one along v alone: some 100 roundings.
      EXPECT_LE(image2, norm2 * length2 * (1 + 0x1p-44));
      EXPECT_GE(image2, norm2 * length2 * (1 - 0x1p-44));
    }
  }
}

}  // namespace
}  // namespace normproof::verification::claims
