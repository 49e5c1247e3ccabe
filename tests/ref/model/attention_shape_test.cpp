#include "ref/model/attention_shape.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

AttentionShape sample_attention_shape(const tensor::Shape& valid = {}) {
  return attention_shape("f", {2, 6, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 7}, valid, {});
}

TEST(AttentionShape, SeveralQueryHeadsShareOneKeyHead) {
  const AttentionShape shape = sample_attention_shape();
  EXPECT_EQ(shape.group.heads, 3u);
  EXPECT_EQ(shape.group.rows(), 9u);
  EXPECT_EQ(shape.heads(), 6u);
  EXPECT_EQ(shape.queries_shape(), (tensor::Shape{2, 6, 3}));
  EXPECT_EQ(shape.scores_shape(), (tensor::Shape{2, 6, 3, 5}));
  EXPECT_EQ(shape.y_shape(), (tensor::Shape{2, 6, 3, 7}));
  EXPECT_EQ(shape.describe_heads(1, 1), "attention in sample 1, heads 3 to 5");
}

TEST(AttentionShape, EachSampleUsesItsOwnRowOfTheMask) {
  const AttentionShape shape = sample_attention_shape({2, 5});
  tensor::Mask valid = tensor::full_tensor<bool>({2, 5}, true);
  EXPECT_TRUE(shape.every_query_sees_a_key(valid, {}));
  EXPECT_TRUE(shape.every_query_sees_a_key({}, {.causal = true}));
  for (std::size_t j = 0; j < 5; ++j) valid.data()[5 + j] = false;
  EXPECT_TRUE(shape.visible_keys_of_sample(0, valid, {}).data()[0]);
  EXPECT_FALSE(shape.visible_keys_of_sample(1, valid, {}).data()[0]);
  EXPECT_FALSE(shape.every_query_sees_a_key(valid, {}));
}

std::string shape_rejection_message(const tensor::Shape& q, const tensor::Shape& k,
                                    const tensor::Shape& v, const tensor::Shape& valid = {},
                                    const AttentionOptions& options = {}) {
  return numeric::contract_message([&] { attention_shape("f", q, k, v, valid, options); });
}
const tensor::Shape kOnes = {1, 1, 1, 1};

TEST(AttentionShape, C1_RejectsWrongAxesAndZeroExtents) {
  EXPECT_EQ(shape_rejection_message({1, 1, 1}, kOnes, kOnes),
            "f: q has shape [1, 1, 1]; expected four axes, every extent at least 1 (C1)");
  EXPECT_EQ(shape_rejection_message(kOnes, kOnes, {1, 1, 0, 1}),
            "f: v has shape [1, 1, 0, 1]; expected four axes, every extent at least 1 (C1)");
}

TEST(AttentionShape, C2_RejectsDisagreeingExtentsAndGroups) {
  EXPECT_EQ(shape_rejection_message({1, 4, 1, 2}, {1, 3, 2, 2}, {1, 3, 2, 2}),
            "f: k has shape [1, 3, 2, 2]; expected [1,G,S,2], G a divisor of 4 (C2)");
  EXPECT_EQ(shape_rejection_message(kOnes, {1, 1, 1, 2}, kOnes),
            "f: k has shape [1, 1, 1, 2]; expected [1,G,S,1], G a divisor of 1 (C2)");
  EXPECT_EQ(shape_rejection_message(kOnes, kOnes, {1, 1, 2, 1}),
            "f: v has shape [1, 1, 2, 1]; expected shape [1, 1, 1, 1] (C2)");
}

TEST(AttentionShape, C3_RejectsMaskOfWrongShape) {
  EXPECT_EQ(shape_rejection_message({1, 1, 2, 1}, {1, 1, 3, 1}, {1, 1, 3, 1}, {1, 2}),
            "f: valid has shape [1, 2]; expected shape [1, 3] (C3)");
}

TEST(AttentionShape, C8_RejectsCapThatIsNotPositiveAndFinite) {
  for (const double cap : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    const std::string sentence =
        shape_rejection_message(kOnes, kOnes, kOnes, {}, {.soft_cap = cap});
    EXPECT_NE(sentence.find("expected soft_cap > 0 (C8)"), std::string::npos) << sentence;
  }
}

TEST(AttentionShape, C9_RejectsSinksThatAreNotOneForEachQueryHead) {
  const auto message = [](const tensor::Shape& sinks) {
    return numeric::contract_message([&] {
      attention_shape("f", {1, 4, 1, 1}, {1, 2, 1, 1}, {1, 2, 1, 1}, {}, {}, sinks);
    });
  };
  EXPECT_EQ(message({2}), "f: sinks has shape [2]; expected shape [4] (C9)");
  EXPECT_EQ(message({1, 4}), "f: sinks has shape [1, 4]; expected shape [4] (C9)");
  EXPECT_EQ(attention_shape("f", {1, 4, 1, 1}, {1, 2, 1, 1}, {1, 2, 1, 1}, {}, {}, {4}).heads(),
            4u);
}

TEST(AttentionShape, C10_RejectsBiasOfOtherExtents) {
  const auto message = [](const tensor::Shape& bias) {
    return numeric::contract_message([&] {
      attention_shape("f", {2, 4, 3, 1}, {2, 2, 5, 1}, {2, 2, 5, 1}, {}, {}, {}, bias);
    });
  };
  EXPECT_EQ(message({2, 2, 3, 5}),
            "f: bias has shape [2, 2, 3, 5]; expected [2 or 1,4 or 1,3,5] (C10)");
  for (const tensor::Shape& bias : {tensor::Shape{3, 5}, tensor::Shape{2, 4, 1, 5},
                                    tensor::Shape{2, 4, 3, 1}, tensor::Shape{4, 4, 3, 5}})
    EXPECT_NE(message(bias).find("(C10)"), std::string::npos) << message(bias);
  for (const std::size_t samples : {1, 2})
    for (const std::size_t heads : {1, 4})
      EXPECT_EQ(message({samples, heads, 3, 5}).find("(C10)"), std::string::npos);
}

TEST(AttentionShape, BiasOfExtentOneIsRepeated) {
  const auto first = [](const tensor::Shape& bias) {
    return attention_shape("f", {2, 4, 3, 1}, {2, 2, 5, 1}, {2, 2, 5, 1}, {}, {}, {}, bias)
        .first_bias_index(1, 3);
  };
  EXPECT_EQ(first({2, 4, 3, 5}), 7u * 15);
  EXPECT_EQ(first({1, 4, 3, 5}), 3u * 15);
  EXPECT_EQ(first({2, 1, 3, 5}), 15u);
  EXPECT_EQ(first({1, 1, 3, 5}), 0u);
}

TEST(AttentionShape, MinusInfinityInABiasHidesItsKey) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const SplitBias plain = split_bias({{{{1, 2}}}});
  EXPECT_FALSE(tensor::is_given(plain.visible));
  const SplitBias parts = split_bias({{{{1, kHidden}}, {{kHidden, kHidden}}}});
  EXPECT_EQ(parts.finite, (tensor::Tensor<double>{{{{1, 0}}, {{0, 0}}}}));
  const AttentionShape shape =
      attention_shape("f", {1, 2, 1, 1}, {1, 1, 2, 1}, {1, 1, 2, 1}, {}, {}, {}, {1, 2, 1, 2});
  EXPECT_EQ(shape.visible_keys_of_head(0, 0, {}, {}, parts.visible),
            (tensor::Mask{{true, false}, {false, false}}));
  EXPECT_EQ(shape.visible_keys_of_head(0, 0, {{false, true}}, {}, parts.visible),
            (tensor::Mask{{false, false}, {false, false}}));
  EXPECT_FALSE(shape.every_query_sees_a_key({}, {}, parts.visible));
  EXPECT_TRUE(shape.every_query_sees_a_key({}, {}));
}

TEST(AttentionShape, C4_RejectsScaleThatIsNotPositiveAndFinite) {
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    const std::string sentence = shape_rejection_message(kOnes, kOnes, kOnes, {}, {.scale = scale});
    EXPECT_NE(sentence.find("expected scale > 0 (C4)"), std::string::npos) << sentence;
  }
}

}  // namespace
}  // namespace normproof::ref::model
