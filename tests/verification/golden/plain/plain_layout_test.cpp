#include "verification/golden/plain/plain_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::plain {
namespace {

using gate::check_case;
using ref::model::Layout;
using ::testing::ElementsAre;

/// Returns a tensor [1,2,1,3] whose elements are their offsets in memory.
ref::tensor::Tensor<double> make_offset_tensor() {
  auto x = ref::tensor::empty_tensor<double>({1, 2, 1, 3});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i);
  return x;
}

TEST(PlainLayout, ReadsRowsAndWritesThemBack) {
  Sites sites;
  PlainLayout layout(Layout::channels_first, {1, 2, 1, 3}, sites);
  EXPECT_EQ(layout.rows().tokens, 3u);
  EXPECT_EQ(layout.rows().d_model, 2u);
  const auto rows = layout.read("x", make_offset_tensor());
  EXPECT_THAT(rows, ElementsAre(0, 3, 1, 4, 2, 5));
  std::map<std::string, std::vector<double>> outputs = {{"y", {rows.begin(), rows.end()}}};
  layout.write("y", outputs);
  layout.write("grad_x", outputs);  // which does not exist
  EXPECT_THAT(outputs.at("y"), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(PlainLayout, MutationReadsTheWrongChannelAxis) {
  Sites sites({"layout of x", MutationOperator::other});
  PlainLayout layout(Layout::channels_first, {1, 2, 1, 3}, sites);
  EXPECT_THAT(layout.read("x", make_offset_tensor()), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(layout.read("grad_y", make_offset_tensor()), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(PlainLayout, RowLayoutOffersNoMutation) {
  Sites sites;
  sites.list();
  PlainLayout layout(Layout::rows, {3, 2}, sites);
  layout.read("x", ref::tensor::full_tensor<double>({3, 2}, 1));
  EXPECT_TRUE(sites.seen().empty());
}

TEST(PlainLayout, EveryLayoutPassesTheGateAndItsMutationsFail) {
  for (const char* layer : {"batch_norm", "group_norm"})
    for (const char* name : {"channels_first", "channels_last"}) {
      const Case c =
          plain_recipe(layer, {2, 4, 3, 5}, DType::float32).option("layout", name).make(1);
      const StoredCase stored = certified(c);
      const auto passes = [&](const Mutation& mutation) {
        Sites sites(mutation);
        return check_case(stored, run_plain(c, recipes::inputs_of(c), {}, sites), {}).passed();
      };
      EXPECT_TRUE(passes({})) << layer << " " << name;
      for (const char* site : {"layout of x", "layout of grad_y", "layout of y", "layout of grad_x",
                               "layout of every tensor"})
        EXPECT_FALSE(passes({site, MutationOperator::other}))
            << layer << " " << name << " " << site;
    }
}

}  // namespace
}  // namespace normproof::verification::golden::plain
