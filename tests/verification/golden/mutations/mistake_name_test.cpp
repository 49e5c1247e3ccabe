#include "verification/golden/mutations/mistake_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "verification/golden/mutations/mistake_words.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::mutations {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using enum MutationOperator;

TEST(MistakeNames, SayWhatIsWrong) {
  EXPECT_EQ(mistake_name({"eps", outside_root}), "eps: outside the root");
  EXPECT_EQ(mistake_name({"norm: eps", outside_root}), "norm: eps: outside the root");
  EXPECT_EQ(mistake_name({"mean", insert}),
            "mean: subtracted although the norm does not subtract it");
  EXPECT_EQ(mistake_name({"encoder: norm: gamma", other}),
            "encoder: norm: gamma: that of the next feature");
  EXPECT_EQ(mistake_name({"returned rstd", other}), "returned rstd: that of the next slice");
  EXPECT_EQ(mistake_name({"returned sum", other}), "returned sum: x alone");
  EXPECT_EQ(mistake_name({"writing grad_x", first_64}),
            "writing grad_x: only the first 64 columns");
  EXPECT_EQ(mistake_name({"columns of x", first_128}),
            "columns: only the first 128 are read and written");
}

/// Returns the mistakes of the quick tier by operation.
std::map<std::string, std::set<std::pair<std::string, MutationOperator>>> list_mistakes() {
  std::map<std::string, std::set<std::pair<std::string, MutationOperator>>> mistakes;
  for (const corpus::Case& c : recipes::corpus(corpus::Tier::quick)) {
    Sites sites;
    sites.list();
    plain::run_plain(c, recipes::inputs_of(c), {}, sites);
    for (const Mutation& mutation : sites.seen())
      mistakes[corpus::case_operation_name(c)].emplace(mutation.site, mutation.op);
  }
  return mistakes;
}

TEST(MistakeNames, OfTheQuickTierDifferAndHaveNoWordsOfTheCode) {
  std::set<std::string> without_words;
  for (const auto& [operation, mistakes] : list_mistakes()) {
    std::map<std::string, std::string> sites;  // by name
    for (const auto& [site, op] : mistakes) {
      const std::string name = mistake_name({site, op});
      const auto [known, is_new] = sites.emplace(name, site);
      EXPECT_TRUE(is_new) << operation << ": " << name << " of " << site << " and "
                          << known->second;
      EXPECT_THAT(name, AllOf(Not(HasSubstr("{}")), Not(HasSubstr("share")))) << operation;
      // The generic words for these operators do not say what is wrong.
      if (name.ends_with(to_string(other)) || name.ends_with(to_string(insert)))
        without_words.insert(site);
    }
  }
  EXPECT_THAT(without_words, IsEmpty());
}

TEST(MistakeNames, AreAllNeededByTheQuickTier) {
  std::set<std::string> open;
  for (const MistakeWords& words : mistake_words())
    open.insert(std::string(words.site) + ": " + std::string(to_string(words.op)));
  for (const auto& [operation, mistakes] : list_mistakes())
    for (const auto& [site, op] : mistakes)
      for (const MistakeWords& words : mistake_words()) {
        const std::string_view text = words.site.substr(0, words.site.find('*'));
        if (words.op == op && site.find(text) != std::string::npos)
          open.erase(std::string(words.site) + ": " + std::string(to_string(op)));
      }
  EXPECT_THAT(open, IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::golden::mutations
