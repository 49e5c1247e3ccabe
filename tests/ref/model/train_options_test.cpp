#include "ref/model/train_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

using numeric::error_message;
using numeric::UsageError;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(TrainOptions, EveryNameReturnsItsOptions) {
  EXPECT_THAT(optimizer_names(), ElementsAre("sgd", "adam", "adamw"));
  for (const auto& name : optimizer_names())
    EXPECT_EQ(optimizer_name(optimizer_options(name)), name);
  EXPECT_THAT(schedule_names(), ElementsAre("constant", "inverse_square_root", "linear_warmup"));
  for (const auto& name : schedule_names()) EXPECT_EQ(schedule_name(schedule_options(name)), name);
  EXPECT_THAT(initialization_names(), ElementsAre("xavier_normal", "xavier_uniform",
                                                  "kaiming_normal", "kaiming_uniform", "uniform"));
  for (const auto& name : initialization_names())
    EXPECT_EQ(initialization_name(initialization_options(name)), name);
}

TEST(TrainOptions, NameSelectsTheTypeOfTheOptions) {
  EXPECT_TRUE(std::holds_alternative<AdamWOptions>(optimizer_options("adamw")));
  EXPECT_TRUE(std::holds_alternative<InverseSquareRoot>(schedule_options("inverse_square_root")));
  EXPECT_TRUE(std::holds_alternative<KaimingNormal>(initialization_options("kaiming_normal")));
}

TEST(TrainOptions, ListsFieldsWithTheirDefaults) {
  EXPECT_THAT(list_options(optimizer_options("sgd")), ElementsAre(Pair("momentum", "0")));
  EXPECT_THAT(list_options(optimizer_options("adam")),
              ElementsAre(Pair("beta1", "0.9"), Pair("beta2", "0.999"), Pair("eps", "1e-08")));
  EXPECT_THAT(list_options(optimizer_options("adamw")),
              ElementsAre(Pair("beta1", "0.9"), Pair("beta2", "0.999"), Pair("eps", "1e-08"),
                          Pair("weight_decay", "0.01")));
  EXPECT_THAT(list_options(schedule_options("constant")), IsEmpty());
  for (const char* name : {"inverse_square_root", "linear_warmup"})
    EXPECT_THAT(list_options(schedule_options(name)), ElementsAre(Pair("warmup_steps", "4000")));
  EXPECT_THAT(list_options(LossOptions{}), ElementsAre(Pair("label_smoothing", "0")));
  for (const char* name : {"xavier_normal", "xavier_uniform", "kaiming_normal", "kaiming_uniform"})
    EXPECT_THAT(list_options(initialization_options(name)), ElementsAre(Pair("gain", "1")));
  EXPECT_THAT(list_options(initialization_options("uniform")), ElementsAre(Pair("limit", "0.1")));
}

TEST(TrainOptions, SetsEveryFieldFromText) {
  const auto expect_all_set = [](auto options) {
    for (const auto& [field, value] : list_options(options)) set_option(options, field, "7");
    for (const auto& [field, value] : list_options(options)) EXPECT_EQ(value, "7") << field;
  };
  for (const auto& name : optimizer_names()) expect_all_set(optimizer_options(name));
  for (const auto& name : schedule_names()) expect_all_set(schedule_options(name));
  for (const auto& name : initialization_names()) expect_all_set(initialization_options(name));
  expect_all_set(LossOptions{});
  OptimizerOptions adamw = AdamWOptions{};
  set_option(adamw, "weight_decay", "0.5");
  EXPECT_EQ(std::get<AdamWOptions>(adamw).weight_decay, 0.5);
  EXPECT_EQ(std::get<AdamWOptions>(adamw).eps, 1e-8);
}

TEST(TrainOptions, ErrorsSuggestTheNearestNameOrField) {
  EXPECT_THAT(error_message<UsageError>([] { optimizer_options("adamv"); }),
              StartsWith("unknown optimizer 'adamv'; did you mean 'adam"));
  EXPECT_THAT(error_message<UsageError>([] { schedule_options("constant_rate"); }),
              StartsWith("unknown schedule 'constant_rate'; did you mean 'constant'?"));
  EXPECT_THAT(error_message<UsageError>([] { initialization_options("xavier_norm"); }),
              StartsWith("unknown initialization 'xavier_norm'; did you mean 'xavier_normal'?"));
  OptimizerOptions adam = AdamOptions{};
  EXPECT_THAT(error_message<UsageError>([&] { set_option(adam, "beta3", "0"); }),
              StartsWith("unknown adam option 'beta3'; did you mean 'beta"));
  LossOptions loss;
  EXPECT_THAT(error_message<UsageError>([&] { set_option(loss, "smoothing", "0"); }),
              StartsWith("unknown loss option 'smoothing'"));
  EXPECT_EQ(error_message<UsageError>([&] { set_option(loss, "label_smoothing", "much"); }),
            "option label_smoothing is 'much'; expected a number");
}

}  // namespace
}  // namespace normproof::ref::model
