#include "ref/model/norm_layers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

/// Returns name, shape and initial value of each entry, for example "gamma [D] 1, beta [D] 0".
template <class Entries>
std::string describe_entries(const Entries& entries) {
  std::ostringstream text;
  for (const auto& entry : entries)
    text << (&entry == &entries.front() ? "" : ", ") << entry.name << " " << to_string(entry.shape)
         << " " << entry.initial;
  return text.str();
}

TEST(NormLayers, AreListedInTheOrderOfTheOptionTypes) {
  ASSERT_EQ(norm_layers().size(), std::variant_size_v<NormOptions>);
  for (const NormLayer& layer : norm_layers())
    EXPECT_EQ(&norm_layer(norm_options(layer.name)), &layer) << layer.name;
  EXPECT_EQ(norm_layer(ScaleNormOptions{}).name, "scale_norm");
  EXPECT_EQ(norm_layer(NoneOptions{}).name, "none");
}

TEST(NormLayers, HaveTheSpecifiedParametersAndStates) {
  const std::map<std::string_view, std::string> states = {
      {"batch_norm", "running_mean [D] 0, running_variance [D] 1"},
      {"batch_renorm", "running_mean [D] 0, running_variance [D] 1"},
      {"power_norm_v", "running_psi2 [D] 1"},
      {"power_norm", "running_psi2 [D] 1, nu [D] 0, iterations [1] 0"},
      {"power_norm_released", "running_psi2 [D] 1, nu [D] 0, iterations [1] 0"}};
  const std::map<std::string_view, std::string> parameters = {
      {"none", ""},
      {"group_scaling", ""},
      {"scale_norm", "gamma [1] 1"},
      {"dyt", "gamma [D] 1, beta [D] 0, alpha [1] 0.5"}};
  for (const NormLayer& layer : norm_layers()) {
    const auto state = states.find(layer.name);
    EXPECT_EQ(describe_entries(layer.state), state == states.end() ? "" : state->second)
        << layer.name;
    const auto own = parameters.find(layer.name);
    EXPECT_EQ(describe_entries(layer.parameters),
              own == parameters.end() ? "gamma [D] 1, beta [D] 0" : own->second)
        << layer.name;
  }
}

TEST(NormLayers, HaveUniqueInputAndOutputNames) {
  for (const NormLayer& layer : norm_layers()) {
    std::multiset<std::string_view> names = {"x", "y", "grad_y", "valid", "grad_x"};
    for (const auto& entry : layer.parameters) names.insert(entry.name);
    for (const auto& entry : layer.state) names.insert(entry.name);
    for (const auto& entry : layer.statistics) names.insert(entry.name);
    EXPECT_EQ(names.size(), std::set(names.begin(), names.end()).size()) << layer.name;
  }
}

TEST(NormLayers, ReferOnlyToExistingOptions) {
  for (const NormLayer& layer : norm_layers()) {
    const NormOptions options = norm_options(layer.name);
    for (const auto& cells : layer.cells) {
      EXPECT_TRUE(number_option(options, cells.eps)) << layer.name;
      EXPECT_NO_THROW(is_switched_on(options, cells.option)) << layer.name;
    }
    for (const auto& entry : layer.statistics)
      EXPECT_NO_THROW(is_switched_on(options, entry.option)) << layer.name;
    for (const auto& entry : layer.parameters)
      EXPECT_NO_THROW(initial_value(options, entry)) << layer.name;
  }
}

TEST(NormLayers, DeriveTraitsFromTheElementsThatShareStatistics) {
  const auto find_layer = [](const char* name) { return norm_layer(norm_options(name)); };
  EXPECT_TRUE(find_layer("layer_norm").centred());
  EXPECT_FALSE(find_layer("layer_norm").uses_statistics_over_rows());
  EXPECT_TRUE(find_layer("group_norm").uses_statistics_per_sample());
  EXPECT_TRUE(find_layer("instance_norm").uses_statistics_over_rows());
  EXPECT_TRUE(find_layer("power_norm_released").uses_statistics_over_rows());
  EXPECT_FALSE(find_layer("power_norm_released").uses_statistics_per_sample());
  EXPECT_FALSE(find_layer("none").centred());
  EXPECT_TRUE(find_layer("dyt").cells.empty());
  EXPECT_FALSE(find_layer("dyt").uses_statistics_over_rows());
  EXPECT_EQ(find_layer("scale_norm").parameter("beta"), nullptr);
  EXPECT_EQ(find_layer("scale_norm").parameter("gamma")->shape, EntryShape::one);
}

TEST(NormLayers, OptionGettersReturnNulloptForOptionsOfOtherTypes) {
  const NormOptions released = PowerNormReleasedOptions{.group_eps = 0.5, .scaled_nu = false};
  EXPECT_EQ(number_option(released, "group_eps"), 0.5);
  EXPECT_EQ(count_option(released, "groups"), 1);
  EXPECT_EQ(switch_option(released, "scaled_nu"), false);
  EXPECT_EQ(switch_option(released, "groups"), std::nullopt);
  EXPECT_EQ(count_option(LayerNormOptions{}, "groups"), std::nullopt);
  EXPECT_TRUE(is_switched_on(released, ""));
  EXPECT_TRUE(is_switched_on(released, "group_scaling"));
  EXPECT_FALSE(is_switched_on(PowerNormReleasedOptions{.group_scaling = false}, "group_scaling"));
}

TEST(NormLayers, AnOptionCanReplaceAnInitialValue) {
  const NormParameter own{"p", EntryShape::one, 3};
  EXPECT_EQ(initial_value(BatchRenormOptions{.r_max = 7}, own), 3);
  EXPECT_EQ(initial_value(BatchRenormOptions{.r_max = 7}, {"p", EntryShape::one, 3, "r_max"}), 7);
}

TEST(NormLayers, ZeroCenteredGammaIsInitiallyZero) {
  const NormOptions centred = LayerNormOptions{.zero_centred_gamma = true};
  EXPECT_TRUE(has_zero_centered_gamma(centred));
  EXPECT_FALSE(has_zero_centered_gamma(LayerNormOptions{}));
  EXPECT_FALSE(has_zero_centered_gamma(BatchNormOptions{}));
  EXPECT_EQ(initial_value(centred, *norm_layer(centred).parameter("gamma")), 0);
  EXPECT_EQ(initial_value(centred, *norm_layer(centred).parameter("beta")), 0);
  EXPECT_EQ(initial_value(LayerNormOptions{}, *norm_layer(centred).parameter("gamma")), 1);
}

TEST(NormLayers, ImageLayoutsConvertToRowsOfPixels) {
  const NormOptions first = GroupNormOptions{.groups = 2, .layout = Layout::channels_first},
                    last = GroupNormOptions{.groups = 2, .layout = Layout::channels_last};
  EXPECT_EQ(norm_layout(first), Layout::channels_first);
  EXPECT_EQ(norm_layout(LayerNormOptions{}), Layout::rows);
  EXPECT_EQ(norm_layout(use_row_layout(last)), Layout::rows);
  EXPECT_EQ(count_option(use_row_layout(last), "groups"), 2);
  using Extents = std::vector<std::size_t>;
  EXPECT_EQ(shape_in_rows(Layout::channels_first, {2, 6, 3, 5}), (Extents{2, 15, 6}));
  EXPECT_EQ(shape_in_rows(Layout::channels_last, {2, 6, 3, 5}), (Extents{2, 18, 5}));
  EXPECT_EQ(shape_in_rows(Layout::rows, {4, 6}), (Extents{4, 6}));
  EXPECT_EQ(entry_extents(EntryShape::features, {2, 6, 3, 5}, first), Extents{6});
  EXPECT_EQ(entry_extents(EntryShape::sample_channels, {2, 6, 3, 5}, last), (Extents{2, 5}));
}

TEST(ShapeInRows, C1_RejectsImagesWithoutFourAxes) {
  EXPECT_EQ(numeric::contract_message([] {
              shape_in_rows(Layout::channels_first, {2, 6, 3});
            }),
            "shape_in_rows: x has 3 axes; expected 4 axes where the layout is channels_first or "
            "channels_last (C1)");
}

TEST(NormLayers, C13_RejectsLayoutsOtherThanRows) {
  EXPECT_EQ(numeric::contract_message(
                [] { check_row_layout(BatchNormOptions{.layout = Layout::channels_last}); }),
            "batch_norm: layout is not rows; expected rows (C13)");
  EXPECT_NO_THROW(check_row_layout(BatchNormOptions{}));
}

TEST(NormLayers, C14_RejectsZeroCenteredGamma) {
  EXPECT_EQ(numeric::contract_message(
                [] { check_plain_gamma(LayerNormOptions{.zero_centred_gamma = true}); }),
            "layer_norm: zero_centred_gamma is true; expected false, and 1 + gamma in place of "
            "gamma, or norm_step, which adds it (C14)");
  EXPECT_NO_THROW(check_plain_gamma(LayerNormOptions{}));
  EXPECT_FALSE(
      has_zero_centered_gamma(use_plain_gamma(RMSNormOptions{.zero_centred_gamma = true})));
}

TEST(NormLayers, ReturnsTheExtentsOfEveryShape) {
  const NormOptions options = GroupNormOptions{.groups = 2};
  using Extents = std::vector<std::size_t>;
  const auto extents = [&](EntryShape shape) { return entry_extents(shape, {3, 5, 8}, options); };
  EXPECT_EQ(extents(EntryShape::one), Extents{1});
  EXPECT_EQ(extents(EntryShape::features), Extents{8});
  EXPECT_EQ(extents(EntryShape::rows), (Extents{3, 5}));
  EXPECT_EQ(extents(EntryShape::row_groups), (Extents{3, 5, 2}));
  EXPECT_EQ(extents(EntryShape::sample_channels), (Extents{3, 8}));
  EXPECT_EQ(extents(EntryShape::sample_groups), (Extents{3, 2}));
  EXPECT_EQ(entry_extents(EntryShape::row_groups, {4, 6}, options), (Extents{4, 2}));
}

TEST(NormLayers, C3_RejectsAParameterThatTheLayerLacks) {
  const auto rejection_message = [](const NormOptions& options, const char* given) {
    return numeric::contract_message([&] { check_parameter(norm_layer(options), given); });
  };
  EXPECT_EQ(rejection_message(ScaleNormOptions{}, "beta"),
            "scale_norm: beta is given; expected no beta (C3)");
  EXPECT_EQ(rejection_message(NoneOptions{}, "gamma"),
            "none: gamma is given; expected no parameters (C3)");
  EXPECT_NO_THROW(check_parameter(norm_layer(ScaleNormOptions{}), "gamma"));
}

TEST(EntryExtent, C1_RejectsShapesThatDependOnRows) {
  EXPECT_EQ(numeric::contract_message([] { entry_extent(EntryShape::rows, 4); }),
            "entry_extent: shape depends on the rows of x; expected [1] or [D] (C1)");
}

}  // namespace
}  // namespace normproof::ref::model
