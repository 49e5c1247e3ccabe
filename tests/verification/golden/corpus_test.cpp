#include "verification/golden/corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/samples.hpp"
#include "verification/golden/layer_traits.hpp"
#include "verification/golden/manifest.hpp"

namespace normproof::verification::golden {
namespace {

std::set<std::string> layers_of(const std::vector<Case>& cases) {
  std::set<std::string> layers;
  for (const Case& c : cases) layers.insert(op_of(c));
  return layers;
}

std::set<std::string> every_layer() {
  std::set<std::string> layers;
  for (const std::string& name : ref::model::norm_names())
    if (name != "none") layers.insert(name);
  return layers;
}

/// What holds in every tier: the paths differ, and each case can be run and says why it is there.
void expect_well_formed(Tier tier, const std::vector<Case>& cases) {
  std::string before;
  for (const Case& c : cases) {
    const std::string path = path_of(c);
    EXPECT_LT(before, path);
    before = path;
    EXPECT_EQ(c.tier, tier) << path;
    EXPECT_FALSE(c.why.empty()) << path;
    EXPECT_EQ(c.why.find('\n'), std::string::npos) << path;
    EXPECT_EQ(path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-/"), std::string::npos)
        << path;
    EXPECT_TRUE(std::ranges::is_sorted(c.inputs, {}, &StoredTensor::name)) << path;
    const char* const first = op_of(c) == "encoder"    ? "head.weight"
                              : is_optimizer(op_of(c)) ? "parameter"
                                                       : "x";
    EXPECT_EQ(find(c.inputs, first)->dtype, c.dtype) << path;
    EXPECT_NO_THROW(inputs_of(c, path)) << path;
  }
  std::set<std::string> all = every_layer();
  for (const std::string& function : ref::model::function_names()) all.insert(function);
  for (const std::string& encoder : ref::model::encoder_operation_names()) all.insert(encoder);
  for (const std::string& optimizer : ref::model::optimizer_names()) all.insert(optimizer);
  EXPECT_EQ(layers_of(cases), all);
}

std::string hash_of(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& c : cases) text += path_of(c) + content_sha256(c.inputs);
  return text;
}

TEST(Corpus, QuickIsWellFormedAndTheSameEveryTime) {
  const std::vector<Case> cases = corpus(Tier::quick);
  expect_well_formed(Tier::quick, cases);
  EXPECT_EQ(hash_of(cases), hash_of(corpus(Tier::quick)));
}

TEST(Corpus, AnotherSeedAsksTheSameOfOtherNumbers) {
  const std::vector<Case> cases = corpus(Tier::quick), others = corpus(Tier::quick, 1);
  ASSERT_EQ(cases.size(), others.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(path_of(cases[i]), path_of(others[i]));
    const bool random = cases[i].reason == "random" || cases[i].reason == "no_affine";
    if (random) {
      EXPECT_NE(content_sha256(cases[i].inputs), content_sha256(others[i].inputs));
    }
    if (cases[i].exact && op_of(cases[i]) == "layer_norm") {
      EXPECT_EQ(content_sha256(cases[i].inputs), content_sha256(others[i].inputs));
    }
  }
}

TEST(Corpus, StandardIsWellFormedAndTheSameEveryTime) {
  const std::vector<Case> cases = corpus(Tier::standard);
  expect_well_formed(Tier::standard, cases);
  EXPECT_EQ(hash_of(cases), hash_of(corpus(Tier::standard)));
}

TEST(Corpus, NoTwoQuickCasesHaveTheSameQuestion) {
  std::map<std::string, std::string> seen;
  for (const Case& c : corpus(Tier::quick)) {
    std::string question = op_of(c) + (c.mode == Mode::training ? " training " : " inference ");
    for (const auto& [name, value] : ref::model::list_options(c.options))
      question += name + "=" + value + " ";
    question += content_sha256(c.inputs);
    EXPECT_TRUE(seen.emplace(question, path_of(c)).second)
        << path_of(c) << " asks what " << seen[question] << " asks";
  }
}

}  // namespace
}  // namespace normproof::verification::golden
