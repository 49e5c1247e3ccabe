#include "verification/golden/recipes/layout_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ref/model/norm_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::Case;
using corpus::Tier;
using ref::model::Layout;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(LayoutCases, HaveBothLayoutsOfImagesWithDifferentExtents) {
  for (const char* layer : {"batch_norm", "group_norm"})
    for (const Tier tier : {Tier::quick, Tier::standard}) {
      std::set<Layout> layouts;
      for (const Case& c : layout_cases(tier, layer, kCorpusSeed)) {
        const auto& shape = corpus::find(c.inputs, "x")->shape;
        ASSERT_EQ(shape.size(), 4u) << case_folder(c);
        layouts.insert(ref::model::norm_layout(std::get<ref::model::NormOptions>(c.options)));
        if (c.reason.ends_with("one_pixel")) continue;
        EXPECT_EQ(std::set(shape.begin(), shape.end()).size(), 4u) << case_folder(c);
        // gamma has one element per channel in either layout.
        EXPECT_EQ(corpus::find(c.inputs, "gamma")->shape.front() % 6, 0u) << case_folder(c);
      }
      EXPECT_THAT(layouts, UnorderedElementsAre(Layout::channels_first, Layout::channels_last));
    }
}

TEST(LayoutCases, HaveSeveralGroupsOfSeveralChannels) {
  for (const Case& c : layout_cases(Tier::quick, "group_norm", kCorpusSeed))
    EXPECT_EQ(ref::model::count_option(std::get<ref::model::NormOptions>(c.options), "groups"), 3)
        << case_folder(c);
}

TEST(LayoutCases, HaveImagesWithMoreChannelsThanAWarpHasLanes) {
  std::map<std::string, std::set<std::size_t>> channels;
  std::set<std::int64_t> groups;
  for (const char* layer : {"batch_norm", "group_norm"})
    for (const Tier tier : {Tier::quick, Tier::standard})
      for (const Case& c : layout_cases(tier, layer, kCorpusSeed)) {
        if (!c.reason.ends_with("_many")) continue;
        channels[std::string(to_string(tier)) + " " + layer + " " + c.reason].insert(
            corpus::find(c.inputs, "gamma")->shape.front());
        const auto& norm = std::get<ref::model::NormOptions>(c.options);
        if (layer == std::string("group_norm"))
          groups.insert(ref::model::count_option(norm, "groups").value());
      }
  EXPECT_EQ(channels["quick group_norm channels_first_many"], (std::set<std::size_t>{48}));
  for (const char* layer : {"batch_norm", "group_norm"})
    for (const char* layout : {"channels_first", "channels_last"})
      EXPECT_EQ(channels[std::string("standard ") + layer + " " + layout + "_many"],
                (std::set<std::size_t>{96}))
          << layer << " " << layout;
  EXPECT_EQ(groups, (std::set<std::int64_t>{3, 32}));
}

TEST(LayoutCases, DoNotExistForOtherLayersOrTheFullTier) {
  EXPECT_THAT(layout_cases(Tier::quick, "layer_norm", kCorpusSeed), IsEmpty());
  EXPECT_THAT(layout_cases(Tier::full, "group_norm", kCorpusSeed), IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
