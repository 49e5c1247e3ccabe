#include "ref/model/norm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

using numeric::error_message;
using numeric::UsageError;

TEST(NormOptions, EveryNameReturnsItsOptions) {
  EXPECT_EQ(norm_names().size(), 13u);
  for (const auto& name : norm_names()) EXPECT_EQ(norm_name(norm_options(name)), name);
  EXPECT_EQ(norm_name(PowerNormReleasedOptions{}), "power_norm_released");
  EXPECT_EQ(norm_name(GroupScalingOptions{}), "group_scaling");
}

TEST(NormOptions, UnknownLayerErrorSuggestsTheNearestName) {
  EXPECT_EQ(error_message<UsageError>([] { norm_options("layer_nrom"); }).substr(0, 59),
            "unknown layer 'layer_nrom'; did you mean 'layer_norm'? know");
}

TEST(NormOptions, ErrorSaysThatTheOperationIsNotALayer) {
  EXPECT_EQ(error_message<UsageError>([] { norm_options("l2_norm"); }).substr(0, 60),
            "operation 'l2_norm' is not a layer; expected one of none, ba");
}

TEST(SetOption, SetsEveryListedField) {
  for (const auto& name : norm_names()) {
    const NormOptions defaults = norm_options(name);
    for (const auto& [field, value] : list_options(defaults)) {
      NormOptions options = defaults;
      const bool is_switch = value == "true" || value == "false";
      const std::string other = is_switch               ? (value == "true" ? "false" : "true")
                                : field == "storage"    ? "bfloat16"
                                : field == "cast_order" ? "before_gamma"
                                : field == "groups"     ? "4"
                                : field == "warmup_iterations" ? "17"
                                                               : "0.25";
      set_option(options, field, other);
      for (const auto& [listed, now] : list_options(options)) {
        const auto& before = list_options(defaults);
        if (listed == field) {
          EXPECT_EQ(now, other) << name;
          continue;
        }
        for (const auto& [f, v] : before) {
          if (f == listed) {
            EXPECT_EQ(now, v) << name << " " << listed;
          }
        }
      }
    }
  }
}

TEST(SetOption, RejectsWrongFieldsAndValues) {
  NormOptions options = LayerNormOptions{};
  EXPECT_EQ(error_message<UsageError>([&] { set_option(options, "epsilon", "1"); }),
            "unknown layer_norm option 'epsilon'; did you mean 'eps'? known: eps, "
            "zero_centred_gamma");
  for (const char* bad : {"", "x", "1e-5x", "nan", "inf", "1e999"})
    EXPECT_THROW(set_option(options, "eps", bad), UsageError) << bad;
  EXPECT_EQ(error_message<UsageError>([&] { set_option(options, "eps", "big"); }),
            "option eps is 'big'; expected a number");
  EXPECT_EQ(error_message<UsageError>([&] { set_option(options, "eps", "1e999"); }),
            "option eps is '1e999'; expected a number in its type's range");
  NormOptions released = PowerNormReleasedOptions{};
  EXPECT_THROW(set_option(released, "groups", "2.5"), UsageError);
  EXPECT_THROW(set_option(released, "group_scaling", "yes"), UsageError);
  NormOptions rms = RMSNormOptions{};
  set_option(rms, "storage", "bf16");
  EXPECT_EQ(std::get<RMSNormOptions>(rms).storage, StorageFormat::bfloat16);
  EXPECT_EQ(error_message<UsageError>([&] { set_option(rms, "storage", "fp8"); }),
            "option storage is 'fp8'; expected one of float64, float32, bfloat16, float16");
}

TEST(ListOptions, OmitsLaterAddedOptionsThatHaveTheirDefaults) {
  using Texts = std::vector<std::pair<std::string, std::string>>;
  NormOptions options = GroupNormOptions{};
  EXPECT_EQ(list_options(options), (Texts{{"eps", "1e-05"}, {"groups", "1"}}));
  EXPECT_EQ(list_all_options(options),
            (Texts{{"eps", "1e-05"}, {"groups", "1"}, {"layout", "rows"}}));
  set_option(options, "layout", "channels_first");
  EXPECT_EQ(list_options(options), list_all_options(options));
  EXPECT_EQ(list_options(options)[2].second, "channels_first");
  EXPECT_EQ(error_message<UsageError>([&] { set_option(options, "layout", "nchw"); }),
            "option layout is 'nchw'; expected one of rows, channels_first, channels_last");
  NormOptions rms = RMSNormOptions{};
  EXPECT_EQ(list_options(rms).size() + 1, list_all_options(rms).size());
  set_option(rms, "zero_centred_gamma", "1");
  EXPECT_EQ(list_options(rms), list_all_options(rms));
}

TEST(ListOptions, PrintedDoublesReadBackToTheSameBits) {
  NormOptions options = LayerNormOptions{.eps = 0x1.23456789abcdep-17};
  const std::string text = list_options(options)[0].second;
  NormOptions again = LayerNormOptions{};
  set_option(again, "eps", text);
  EXPECT_EQ(std::get<LayerNormOptions>(again).eps, 0x1.23456789abcdep-17);
}

}  // namespace
}  // namespace normproof::ref::model
