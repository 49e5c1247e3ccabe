#include "ref/model/operation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Operation, EveryNameReturnsItsOperation) {
  EXPECT_EQ(operation_names().size(),
            norm_names().size() + function_names().size() + encoder_operation_names().size() +
                transformer_operation_names().size() + optimizer_names().size());
  for (const std::string& name : operation_names()) {
    EXPECT_EQ(operation_name(operation(name)), name);
    EXPECT_EQ(std::holds_alternative<FunctionOptions>(operation(name)), is_function(name));
  }
}

TEST(Operation, LayerHasItsOptionsAndAFunctionHasNone) {
  Operation layer = operation("layer_norm");
  set_option(layer, "eps", "0.5");
  EXPECT_EQ(list_options(layer),
            (std::vector<std::pair<std::string, std::string>>{{"eps", "0.5"}}));
  Operation function = operation("softmax");
  EXPECT_THAT(list_options(function), IsEmpty());
  EXPECT_THROW(set_option(function, "eps", "0.5"), numeric::UsageError);
}

TEST(Operation, EncoderIncludesTheOptionsOfItsNorm) {
  Operation layer = operation("encoder_layer");
  ASSERT_TRUE(std::holds_alternative<EncoderOperation>(layer));
  set_option(layer, "norm", "batch_norm");
  set_option(layer, "norm.eps", "0.5");
  set_option(layer, "num_heads", "2");
  using Texts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(list_options(layer), (Texts{{"num_heads", "2"},
                                        {"activation", "relu"},
                                        {"placement", "post"},
                                        {"dropout", "0"},
                                        {"norm", "batch_norm"},
                                        {"norm.eps", "0.5"},
                                        {"norm.running_decay", "0.9"},
                                        {"norm.unbiased_running_variance", "true"}}));
  EXPECT_THROW(set_option(layer, "norm.alpha_forward", "0.5"), numeric::UsageError);
  EXPECT_THROW(set_option(layer, "pooling", "per_position"), numeric::UsageError);
  Operation whole = operation("encoder");
  set_option(whole, "pooling", "per_position");
  set_option(whole, "positions", "0");
  for (const auto& [name, value] : list_options(whole)) {
    Operation again = operation("encoder");
    set_option(again, name, value);  // each listed option is one that set_option accepts
  }
}

// Files written before these options existed do not contain them. Attention always had `causal`.
TEST(Operation, ListOmitsLaterAddedOptionsThatAreFalse) {
  const auto listed = [](const char* name, const char* option, const char* value) {
    Operation other_operation = operation(name);
    set_option(other_operation, option, value);
    for (const auto& [other, text] : list_options(other_operation))
      if (other == option) return text;
    return std::string("none");
  };
  for (const auto& [name, option] :
       {std::pair("encoder_layer", "causal"), std::pair("encoder", "causal"),
        std::pair("encoder", "scaled_embedding"), std::pair("translator", "scaled_embedding"),
        std::pair("language_model", "scaled_embedding"),
        std::pair("decoding", "scaled_embedding")}) {
    EXPECT_EQ(listed(name, option, "false"), "none") << name;
    EXPECT_EQ(listed(name, option, "true"), "true") << name;
    EXPECT_THAT(list_all_options(operation(name)), Contains(Pair(option, "false"))) << name;
  }
  EXPECT_EQ(listed("attention", "causal", "false"), "false");
  EXPECT_EQ(listed("attention", "causal", "true"), "true");
}

TEST(Operation, DecoderLayerHasTheEncoderOptionsExceptCausal) {
  Operation layer = operation("decoder_layer"), encoder_layer = operation("encoder_layer");
  EXPECT_TRUE(std::holds_alternative<EncoderOperation>(layer));
  for (const auto& [name, value] : {std::pair{"norm", "batch_norm"}, std::pair{"norm.eps", "0.5"},
                                    std::pair{"dropout", "0.25"}})
    for (Operation* const other_operation : {&layer, &encoder_layer})
      set_option(*other_operation, name, value);
  EXPECT_EQ(list_options(layer), list_options(encoder_layer));
  EXPECT_THROW(set_option(layer, "causal", "true"), numeric::UsageError);
}

TEST(Operation, OptimizerIncludesTheLearningRate) {
  Operation steps = operation("adamw");
  ASSERT_TRUE(std::holds_alternative<OptimizerOperation>(steps));
  set_option(steps, "learning_rate", "0.5");
  set_option(steps, "weight_decay", "0.25");
  using Texts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(list_options(steps), (Texts{{"beta1", "0.9"},
                                        {"beta2", "0.999"},
                                        {"eps", "1e-08"},
                                        {"weight_decay", "0.25"},
                                        {"learning_rate", "0.5"}}));
  EXPECT_THROW(set_option(steps, "momentum", "0.5"), numeric::UsageError);
  Operation sgd = operation("sgd");
  EXPECT_THROW(set_option(sgd, "weight_decay", "0.5"), numeric::UsageError);
}

TEST(Operation, TranslatorIncludesTheOptionsOfBothNorms) {
  Operation translator = operation("translator");
  ASSERT_TRUE(std::holds_alternative<TransformerOperation>(translator));
  set_option(translator, "decoder_norm", "power_norm");
  set_option(translator, "decoder_norm.alpha_forward", "0.25");
  set_option(translator, "norm.eps", "0.5");
  set_option(translator, "label_smoothing", "0.125");
  const auto texts = list_options(translator);
  EXPECT_THAT(texts, Contains(Pair("decoder_norm.alpha_forward", "0.25")));
  EXPECT_THAT(texts, Contains(Pair("norm.eps", "0.5")));
  EXPECT_THAT(texts, Contains(Pair("label_smoothing", "0.125")));
  EXPECT_THAT(texts, Contains(Pair("tied_head", "false")));
  EXPECT_THROW(set_option(translator, "norm.alpha_forward", "0.25"), numeric::UsageError);
  for (const char* name : {"language_model", "decoding"}) {
    Operation one_side = operation(name);
    EXPECT_THROW(set_option(one_side, "decoder_norm", "none"), numeric::UsageError) << name;
    EXPECT_THROW(set_option(one_side, "decoder_norm.eps", "0.5"), numeric::UsageError) << name;
    set_option(one_side, "norm.eps", "0.5");
    EXPECT_THAT(list_options(one_side), Contains(Pair("norm.eps", "0.5"))) << name;
  }
  Operation decoding = operation("decoding");
  EXPECT_THROW(set_option(decoding, "label_smoothing", "0.1"), numeric::UsageError);
}

TEST(Operation, OptionsCanBeSetInAlphabeticalOrder) {
  for (const std::string& norm : norm_names()) {
    Operation whole = operation("encoder");
    set_option(whole, "norm", norm);
    auto texts = list_options(whole);
    for (auto& [name, value] : texts)
      if (name == "norm.eps") value = "0.25";
    Operation again = operation("encoder");
    std::ranges::sort(texts);
    for (const auto& [name, value] : texts) set_option(again, name, value);
    auto read = list_options(again);
    std::ranges::sort(read);
    EXPECT_EQ(read, texts) << norm;
  }
}

TEST(Operation, UnknownNameErrorSuggestsTheNearestName) {
  try {
    operation("gelu_tan");
    FAIL();
  } catch (const numeric::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'gelu_tanh'?"));
  }
}

}  // namespace
}  // namespace normproof::ref::model
