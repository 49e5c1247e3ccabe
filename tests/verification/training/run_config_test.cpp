#include "verification/training/run_config.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/verification/training/samples.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RunConfig, EverySettingReadsBack) {
  RunConfig config;
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"norm.name", "power_norm"},
                                          {"encoder.activation", "gelu_tanh"},
                                          {"encoder.pooling", "per_position"},
                                          {"loss.class_weights", "none"},
                                          {"optimizer.name", "adamw"},
                                          {"training.max_gradient_norm", "0.5"},
                                          {"training.fixed_length", "64"},
                                          {"feed_forward_initialization.name", "uniform"}})
    set_setting(config, key, value);
  set_setting(config, "norm.alpha_backward", "0.75");
  set_setting(config, "optimizer.weight_decay", "0.1");
  const std::string json = config_json(config);
  EXPECT_EQ(config_json(parse_config(json, "c")), json);
  EXPECT_EQ(list_settings(parse_config(json, "c")), list_settings(config));
  const auto object = nlohmann::json::parse(json);
  EXPECT_EQ(object.at("norm").at("alpha_backward"), 0.75);
  EXPECT_EQ(object.at("training").at("fixed_length"), 64);
  EXPECT_EQ(object.at("loss").at("class_weights"), "none");
  EXPECT_TRUE(object.at("encoder").at("positions").is_boolean());
  // An absent value also has a JSON form.
  set_setting(config, "training.fixed_length", "none");
  EXPECT_TRUE(
      nlohmann::json::parse(config_json(config)).at("training").at("fixed_length").is_null());
}

TEST(RunConfig, KeepCheckpointsIsListedUnlessItIsOne) {
  RunConfig config;
  EXPECT_EQ(config_json(config).find("keep"), std::string::npos);
  EXPECT_THAT(whole_config_json(config), HasSubstr("\"keep_checkpoints\": 1"));
  EXPECT_EQ(config_json(parse_config(whole_config_json(config), "c")), config_json(config));
  set_setting(config, "training.keep_checkpoints", "5");
  EXPECT_EQ(config.keep_checkpoints, 5u);
  EXPECT_EQ(parse_config(config_json(config), "c").keep_checkpoints, 5u);
  set_setting(config, "training.keep_checkpoints", "1");
  EXPECT_EQ(config_json(config), config_json({}));
  EXPECT_THAT(usage_error_message([&] { set_setting(config, "training.keep_checkpoints", "0"); }),
              HasSubstr("training.keep_checkpoints is '0'; expected 1 or more"));
  EXPECT_THAT(usage_error_message([&] { set_setting(config, "training.keep_checkpoint", "2"); }),
              HasSubstr("did you mean 'training.keep_checkpoints'?"));
}

TEST(RunConfig, ScaledEmbeddingIsListedIfItIsOn) {
  for (const auto& [task, key] : {std::pair(Task::classify, "encoder.scaled_embedding"),
                                  std::pair(Task::language, "encoder.scaled_embedding"),
                                  std::pair(Task::translate, "model.scaled_embedding")}) {
    RunConfig config = default_config(task);
    const std::string usual = config_json(config);
    EXPECT_EQ(usual.find("scaled_embedding"), std::string::npos);
    set_setting(config, key, "true");
    EXPECT_TRUE(task == Task::translate ? config.translator.scaled_embedding
                                        : config.train.encoder.scaled_embedding);
    const std::string json = config_json(config);
    EXPECT_EQ(config_json(parse_config(json, "c")), json);
    EXPECT_NE(json, usual);
    set_setting(config, key, "false");
    EXPECT_EQ(config_json(config), usual);
  }
}

TEST(RunConfig, LanguageModelHasItsOwnSettings) {
  RunConfig config = default_config(Task::language);
  set_setting(config, "training.context", "64");
  set_setting(config, "encoder.tied_head", "false");
  const std::string json = config_json(config);
  EXPECT_EQ(config_json(parse_config(json, "c")), json);
  EXPECT_EQ(parse_config(json, "c").task, Task::language);
  EXPECT_TRUE(parse_config("{}", "c", Task::language).train.encoder.causal);
  EXPECT_EQ(config_json({}).find("task"), std::string::npos);
  EXPECT_THAT(usage_error_message([&] { set_setting(config, "training.task", "classify"); }),
              HasSubstr("training.task is 'classify'; expected language, the task of the run"));
  EXPECT_THAT(usage_error_message([&] { set_setting(config, "encoder.pooling", "masked_mean"); }),
              HasSubstr("unknown setting 'encoder.pooling'"));
  EXPECT_THAT(usage_error_message([&] { set_setting(config, "training.context", "0"); }),
              HasSubstr("training.context is '0'; expected 1 or more"));
}

TEST(RunConfig, TranslatorHasSettingsForBothSides) {
  RunConfig config = default_config(Task::translate);
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"norm.name", "power_norm"},
           {"final_norm.name", "power_norm"},
           {"final_norm.warmup_iterations", "1000"},
           {"decoder_norm.name", "rms_norm"},
           {"decoder_final_norm.eps", "0.25"},
           {"decoder.num_layers", "3"},
           {"model.tied_head", "false"},
           {"loss.label_smoothing", "0.125"},
           {"translation.vocabulary_size", "77"}})
    set_setting(config, key, value);
  EXPECT_EQ(ref::model::norm_name(config.translator.encoder.norm), "power_norm");
  EXPECT_EQ(ref::model::norm_name(config.translator.decoder.norm), "rms_norm");
  EXPECT_EQ(config.translator.encoder.num_layers, 1u);
  EXPECT_EQ(config.translator.decoder.num_layers, 3u);
  EXPECT_EQ(config.translation.vocabulary_size, 77u);
  const std::string json = config_json(config);
  EXPECT_EQ(config_json(parse_config(json, "c")), json);
  EXPECT_EQ(parse_config(json, "c").task, Task::translate);
  const auto refused = [&](const char* key, const char* value) {
    return usage_error_message([&] { set_setting(config, key, value); });
  };
  EXPECT_THAT(refused("encoder.d_model", "8"),
              AllOf(HasSubstr("unknown setting 'encoder.d_model'"), HasSubstr("model.d_model"),
                    HasSubstr("encoder.num_layers"), Not(HasSubstr("training."))));
  EXPECT_THAT(refused("training.context", "8"), HasSubstr("unknown setting 'training.context'"));
  EXPECT_THAT(refused("decoder.num_layers", "0"), HasSubstr("decoder.num_layers is '0'"));
  EXPECT_THAT(refused("model.dropout", "1"), HasSubstr("model.dropout is '1'"));
  EXPECT_THAT(refused("translation.vocabulary_size", "3"), HasSubstr("expected 4 or more"));
  EXPECT_THAT(refused("training.task", "language"), HasSubstr("expected translate, the task"));
}

// An error in one side of a translator must name the setting of that side and of its norm.
TEST(RunConfig, ErrorInOneSideOfATranslatorNamesItsSetting) {
  const RunConfig config = default_config(Task::translate);
  const auto sentence_of = [&](const char* argument) {
    return name_setting_in_error(
        config, ref::numeric::ContractError(
                    ref::numeric::ContractViolation{"f", argument, "is 5", "less"}));
  };
  EXPECT_EQ(sentence_of("encoder.num_heads"), "encoder.num_heads is 5; expected less");
  EXPECT_EQ(sentence_of("decoder.num_heads"), "decoder.num_heads is 5; expected less");
  EXPECT_EQ(sentence_of("decoder.d_model"), "model.d_model is 5; expected less");
  EXPECT_EQ(sentence_of("encoder.norm"), "norm.name is 5; expected less");
  EXPECT_EQ(sentence_of("encoder.final_norm"), "final_norm.name is 5; expected less");
  EXPECT_EQ(sentence_of("decoder.norm.eps"), "decoder_norm.eps is 5; expected less");
  EXPECT_EQ(sentence_of("decoder.final_norm"), "decoder_final_norm.name is 5; expected less");
  EXPECT_EQ(sentence_of("eps"), "f: eps is 5; expected less");
}

// Four norms and an optimizer have a setting eps. The error must name the right one.
TEST(RunConfig, ErrorNamesTheSettingWithTheRejectedValue) {
  const auto sentence_of = [](const RunConfig& config, const char* function) {
    return name_setting_in_error(
        config, ref::numeric::ContractError(
                    ref::numeric::ContractViolation{function, "eps", "is -1", "eps >= 0"}));
  };
  for (const char* section : {"norm", "final_norm", "decoder_norm", "decoder_final_norm"}) {
    RunConfig config = default_config(Task::translate);
    set_setting(config, fmt::format("{}.eps", section), "-1");
    EXPECT_EQ(sentence_of(config, "layer_norm"),
              fmt::format("{}.eps is -1; expected eps >= 0", section));
    set_setting(config, fmt::format("{}.name", section), "instance_norm");
    set_setting(config, fmt::format("{}.eps", section), "-1");
    EXPECT_EQ(sentence_of(config, "group_norm"),
              fmt::format("{}.eps is -1; expected eps >= 0", section));
  }
  RunConfig config;
  set_setting(config, "optimizer.eps", "-1");
  EXPECT_EQ(sentence_of(config, "layer_norm"), "layer_norm: eps is -1; expected eps >= 0");
}

TEST(RunConfig, ErrorForAnUnknownValueNamesItsSection) {
  const auto refused = [](const char* key, const char* value) {
    RunConfig config = default_config(Task::translate);
    return usage_error_message([&] { set_setting(config, key, value); });
  };
  EXPECT_THAT(refused("decoder_norm.name", "laye"),
              StartsWith("decoder_norm.name: unknown layer 'laye'; did you mean 'layer_norm'?"));
  EXPECT_THAT(refused("final_norm.eps", "big"),
              StartsWith("final_norm.eps: option eps is 'big'; expected a number"));
  EXPECT_THAT(refused("optimizer.name", "adm"), StartsWith("optimizer.name: unknown "));
}

TEST(RunConfig, MissingSettingsKeepTheirDefaults) {
  const RunConfig config =
      parse_config(R"({"norm": {"eps": 0.5, "name": "rms_norm"}, "training": {"seed": 7}})", "c");
  RunConfig expected;
  set_setting(expected, "norm.name", "rms_norm");
  set_setting(expected, "norm.eps", "0.5");
  set_setting(expected, "training.seed", "7");
  EXPECT_EQ(list_settings(config), list_settings(expected));
}

TEST(RunConfig, ErrorsNameUnknownAndInvalidSettings) {
  const auto message = [](const char* key, const char* value) {
    RunConfig config;
    return usage_error_message([&] { set_setting(config, key, value); });
  };
  EXPECT_THAT(message("encoder.dmodel", "3"), HasSubstr("did you mean 'encoder.d_model'?"));
  EXPECT_THAT(message("norm.name", "layer_nrom"), HasSubstr("did you mean 'layer_norm'?"));
  EXPECT_THAT(message("norm.epsilon", "1"),
              HasSubstr("unknown setting 'norm.epsilon'; did you mean 'norm.eps'?"));
  EXPECT_THAT(message("norm.nam", "batch_norm"),
              HasSubstr("did you mean 'norm.name'? known: norm.name, "));
  EXPECT_THAT(message("optimizer.nme", "sgd"), HasSubstr("did you mean 'optimizer.name'?"));
  EXPECT_THAT(message("norm", "batch_norm"), HasSubstr("did you mean 'norm.name'?"));
  EXPECT_THAT(message("encoder.d_model", "3.5"),
              HasSubstr("option encoder.d_model is '3.5'; expected an integer"));
  EXPECT_THAT(message("encoder.activation", "gelo"), HasSubstr("one of relu, gelu, gelu_tanh"));
  EXPECT_THAT(message("encoder.positions", "yes"), HasSubstr("true, false, 1 or 0"));
  EXPECT_THAT(message("training.max_gradient_norm", "inf"), HasSubstr("a finite number, or none"));
  EXPECT_THAT(message("training.epochs", "0"),
              HasSubstr("option training.epochs is '0'; expected 1"));
  EXPECT_THAT(message("training.epochs", "-1"),
              HasSubstr("option training.epochs is '-1'; expected an integer from 0 on"));
  EXPECT_THAT(message("training.fixed_length", "-2"), HasSubstr("an integer from 0 on, or none"));
  EXPECT_THAT(message("training.learning_rate", "-1"),
              HasSubstr("option training.learning_rate is '-1'; expected 0 or more"));
  for (const char* key :
       {"encoder.d_model", "encoder.num_heads", "encoder.d_ff", "encoder.num_layers"})
    EXPECT_THAT(message(key, "0"), HasSubstr(fmt::format("option {} is '0'; expected 1", key)));
  for (const char* rate : {"-0.1", "1"})
    EXPECT_THAT(message("encoder.dropout", rate), HasSubstr("a number from 0 on, below 1"));
  EXPECT_THAT(message("training.max_gradient_norm", "0"), HasSubstr("above 0, or none"));
  for (const char* smoothing : {"-0.1", "1.5"})
    EXPECT_THAT(message("loss.label_smoothing", smoothing), HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(message("training.validation_share", "1"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(message("training.fixed_length", "1"), HasSubstr("2 or more, or none"));
  const auto parsed = [](const char* text) {
    return file_error_message([&] { parse_config(text, "c.json"); });
  };
  EXPECT_THAT(parsed("{"), HasSubstr("c.json: the whole is no JSON object (line 1, column 2)"));
  EXPECT_THAT(parsed(R"({"training": {"task": "poetry"}})"),
              HasSubstr("c.json: training.task is 'poetry'; expected classify, language or tr"));
  EXPECT_EQ(parse_config(R"({"training": {"task": "classify"}})", "c", Task::language).task,
            Task::classify);
  EXPECT_THAT(parsed("{\"encoder\": {\"d_model\": 32,\n\"d_model\": 64}}"),
              HasSubstr("c.json: the key 'd_model' occurs twice"));
  EXPECT_THAT(parsed(R"({"training": {"learning_rate": 1e400}})"),
              HasSubstr("c.json: the number 1e400 (line 1, column 32) is larger than any double"));
  EXPECT_THAT(parsed(R"({"training": {"learning_rate": NaN}})"),
              HasSubstr("c.json: the number NaN (line 1, column 32) is not finite"));
  EXPECT_THAT(parsed(R"({"encoder": 3})"), HasSubstr("c.json: encoder is no object"));
  EXPECT_THAT(parsed(R"({"foo": {}})"), HasSubstr("c.json: foo is empty"));
  EXPECT_THAT(parsed(R"({"encodr": {"d_model": 3}})"),
              AllOf(HasSubstr("unknown setting 'encodr.d_model'"), HasSubstr("training.seed")));
  EXPECT_THAT(parsed(R"({"encoder": {"d_model": "a"}})"),
              HasSubstr("c.json: option encoder.d_model is 'a'"));
}

}  // namespace
}  // namespace normproof::verification::training
