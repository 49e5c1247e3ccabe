#include "verification/golden/corpus/kind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace normproof::verification::golden::corpus {
namespace {

namespace model = ref::model;

Case find_case(const std::string& operation) {
  Case c;
  c.options = model::operation(operation);
  return c;
}

TEST(OperationKind, MatchesTheListThatContainsTheOperation) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string& name : model::operation_names()) {
    const Case c = find_case(name);
    EXPECT_EQ(is_layer(c), among(model::norm_names(), name)) << name;
    EXPECT_EQ(is_function(c), among(model::function_names(), name)) << name;
    EXPECT_EQ(is_encoder(c), among(model::encoder_operation_names(), name)) << name;
    EXPECT_EQ(is_transformer(c), among(model::transformer_operation_names(), name)) << name;
    EXPECT_EQ(is_optimizer(c), among(model::optimizer_names(), name)) << name;
  }
}

TEST(OperationKind, IsIdentifiedByTheTypeOfTheOptions) {
  for (const std::string& name : model::operation_names()) {
    const Case c = find_case(name);
    EXPECT_EQ(has_operation<model::LayerNormOptions>(c), name == "layer_norm") << name;
    EXPECT_EQ(has_operation<model::LogSumExpOptions>(c), name == "log_sum_exp") << name;
    EXPECT_EQ(has_operation<model::EncoderOptions>(c), name == "encoder") << name;
    EXPECT_EQ(has_operation<model::DecoderLayerOptions>(c), name == "decoder_layer") << name;
    EXPECT_EQ(has_operation<model::DecodingOptions>(c), name == "decoding") << name;
    EXPECT_EQ(has_operation<model::SgdOptions>(c), name == "sgd") << name;
    EXPECT_EQ(has_operation<model::AdamWOptions>(c), name == "adamw") << name;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
