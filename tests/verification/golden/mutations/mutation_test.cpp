#include "verification/golden/mutations/mutation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace normproof::verification::golden::mutations {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using enum MutationOperator;

TEST(MutationSites, ChangeNothingWithoutAMutation) {
  Sites sites;
  EXPECT_EQ(sites.term("t", 3.0), 3);
  EXPECT_EQ(sites.factor("f", 3.0), 3);
  EXPECT_EQ(sites.count("n", 3.0), 3);
  EXPECT_EQ(sites.divisor("n", 3.0), 3);
  EXPECT_EQ(sites.weight("w", 0.25), 0.25);
  EXPECT_EQ(sites.pick("p", 1.0, 2.0), 1);
  EXPECT_TRUE(sites.mask("m", true));
  EXPECT_FALSE(sites.mask("m", false));
  EXPECT_EQ(sites.any("a", {drop}), none);
  EXPECT_TRUE(sites.seen().empty());
}

TEST(MutationSites, ApplyEachOperatorAsItsNameStates) {
  const auto term = [](MutationOperator op) { return Sites({"t", op}).term("t", 3.0); };
  EXPECT_EQ(term(drop), 0);
  EXPECT_EQ(term(negate), -3);
  EXPECT_EQ(term(twice), 6);
  const auto factor = [](MutationOperator op) { return Sites({"f", op}).factor("f", 3.0); };
  EXPECT_EQ(factor(drop), 1);
  EXPECT_EQ(factor(negate), -3);
  EXPECT_EQ(factor(square), 9);
  EXPECT_EQ(Sites({"f", half_precision}).factor("f", 1 + 0x1p-11), 1);
  EXPECT_EQ(Sites({"n", one_less}).count("n", 3.0), 2);
  EXPECT_EQ(Sites({"n", one_more}).count("n", 3.0), 4);
  EXPECT_EQ(Sites({"n", one_less}).divisor("n", 3.0), 2);
  EXPECT_EQ(Sites({"n", one_more}).divisor("n", 3.0), 4);
  EXPECT_EQ(Sites({"n", drop}).divisor("n", 3.0), 1);
  EXPECT_EQ(Sites({"w", complement}).weight("w", 0.25), 0.75);
  EXPECT_EQ(Sites({"w", drop}).weight("w", 0.25), 0);
  EXPECT_EQ(Sites({"p", other}).pick("p", 1.0, 2.0), 2);
  EXPECT_TRUE(Sites({"m", ignore_mask}).mask("m", false));
  EXPECT_FALSE(Sites({"m", invert_mask}).mask("m", true));
  EXPECT_EQ(Sites({"a", one_pass}).any("a", {drop, one_pass}), one_pass);
}

TEST(MutationSites, RoundConstantsToFloat32OnlyInFloat64) {
  EXPECT_EQ(Sites({"c", single_precision}).constant("c", 0.1), static_cast<double>(0.1F));
  EXPECT_EQ(Sites({"d", single_precision}).constant("c", 0.1), 0.1);
  EXPECT_EQ(Sites({"c", single_precision}).constant("c", 0.1F), 0.1F);
  Sites sites;
  sites.list();
  sites.constant("single", 0.1F);
  sites.constant("half", 0.5);
  sites.constant("tenth", 0.1);
  EXPECT_THAT(sites.seen(), ElementsAre(Mutation{"tenth", single_precision}));
}

TEST(MutationSites, ApplyAMutationOnlyAtItsSite) {
  Sites sites({"here", negate});
  EXPECT_EQ(sites.term("there", 3.0), 3);
  EXPECT_EQ(sites.term("here", 3.0), -3);
  // A mutation operator that the site does not offer has no effect.
  EXPECT_EQ(sites.count("here", 3.0), 3);
}

TEST(MutationSites, ListEachOfferedMutationOnce) {
  Sites sites;
  sites.list();
  for (int i = 0; i < 2; ++i) {
    sites.count("n", 3.0);
    sites.pick("p", 1.0, 2.0);
  }
  EXPECT_THAT(sites.seen(),
              ElementsAre(Mutation{"n", one_less}, Mutation{"n", one_more}, Mutation{"p", other}));
}

TEST(MutationSites, ListAMissingDivisionOnlyIfTheDivisorIsNotOne) {
  Sites sites;
  sites.list();
  sites.divisor("n", 1.0);
  EXPECT_THAT(sites.seen(), Not(Contains(Mutation{"n", drop})));
  sites.divisor("n", 2.0);
  EXPECT_THAT(sites.seen(), Contains(Mutation{"n", drop}));
}

TEST(MutationSites, ListAMaskOnlyIfItExcludesSomething) {
  Sites sites;
  sites.list();
  sites.mask("m", true);
  EXPECT_TRUE(sites.seen().empty());
  sites.mask("m", false);
  EXPECT_THAT(sites.seen(), ElementsAre(Mutation{"m", ignore_mask}, Mutation{"m", invert_mask}));
}

TEST(MutationSites, HavePrefixedNamesInAPartOfAModel) {
  Sites sites({"part: t", negate});
  EXPECT_EQ(sites.term("t", 3.0), 3);
  Sites part = sites.part("part: ");
  EXPECT_EQ(part.term("t", 3.0), -3);
  EXPECT_EQ(sites.part("other: ").term("t", 3.0), 3);
  EXPECT_TRUE(part.seen().empty());
  sites.list();
  Sites listing = sites.part("part: ");
  listing.pick("p", 1.0, 2.0);
  EXPECT_THAT(listing.seen(), ElementsAre(Mutation{"p", other}));
}

TEST(MutationSites, RoundToDigitsWithTiesToEven) {
  EXPECT_EQ(Sites::rounded_to<8>(1 + 0x1p-8), 1);
  EXPECT_EQ(Sites::rounded_to<8>(1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(Sites::rounded_to<11>(1.0F + 0x1p-10F), 1.0F + 0x1p-10F);
  EXPECT_EQ(Sites::rounded_to<11>(-0x1.ffcp+5), -0x1.ffcp+5);
}

TEST(MutationOperators, HaveUniqueNames) {
  std::set<std::string_view> names;
  int count = 0;
  for (int op = static_cast<int>(none); op <= static_cast<int>(last_operator); ++op, ++count)
    names.insert(to_string(static_cast<MutationOperator>(op)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace normproof::verification::golden::mutations
