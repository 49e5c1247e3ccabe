#include "verification/golden/museum/exhibit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ref/model/operation.hpp"

namespace normproof::verification::golden::museum {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::IsEmpty;
using testing::Not;

TEST(BugExhibits, HaveUniqueNamesAndDescriptions) {
  const std::vector<Exhibit> exhibits = all_exhibits();
  EXPECT_GE(exhibits.size(), 40u);
  std::set<std::string> names;
  for (const Exhibit& exhibit : exhibits) {
    EXPECT_TRUE(names.insert(exhibit.name).second) << exhibit.name << " is there twice";
    EXPECT_THAT(exhibit.name, ContainsRegex("^[a-z0-9_]+$"));
    EXPECT_THAT(exhibit.link, ContainsRegex("^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[0-9]+$"));
    EXPECT_THAT(exhibit.sentence, Not(IsEmpty())) << exhibit.name;
    EXPECT_THAT(exhibit.missed_by, Not(IsEmpty())) << exhibit.name;
    EXPECT_THAT(ref::model::operation_names(), Contains(exhibit.op)) << exhibit.name;
    EXPECT_TRUE(exhibit.run) << exhibit.name;
  }
}

TEST(BugExhibits, ComeFromEveryFamilyOfOperations) {
  std::size_t count = 0;
  for (const auto& family :
       {layer_norm_exhibits(), rms_norm_exhibits(), slice_norm_exhibits(), function_exhibits(),
        activation_exhibits(), swiglu_exhibits(), attention_exhibits(), loss_exhibits(),
        merge_exhibits(), gated_norm_exhibits(), optimizer_exhibits(), scaled_exhibits()}) {
    EXPECT_THAT(family, Not(IsEmpty()));
    count += family.size();
  }
  EXPECT_EQ(all_exhibits().size(), count);
}

}  // namespace
}  // namespace normproof::verification::golden::museum
