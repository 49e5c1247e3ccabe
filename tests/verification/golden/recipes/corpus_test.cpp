#include "verification/golden/recipes/corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "ref/model/operation_info.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/manifest.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/encoder_corpus.hpp"
#include "verification/golden/recipes/function_corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"
#include "verification/golden/recipes/norm_corpus.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_folder;
using corpus::case_operation_name;
using corpus::find;
using corpus::is_optimizer;
using corpus::Mode;
using corpus::StoredTensor;
using corpus::Tier;

using ref::io::content_sha256;
namespace {

std::set<std::string> collect_layers(const std::vector<Case>& cases) {
  std::set<std::string> layers;
  for (const Case& c : cases) layers.insert(case_operation_name(c));
  return layers;
}

std::set<std::string> options_of_every_layer() {
  std::set<std::string> layers;
  for (const std::string& name : ref::model::norm_names())
    if (name != "none") layers.insert(name);
  return layers;
}

/// Checks that the paths of a tier's cases are unique, and that each case can be run and has a
/// reason.
void expect_well_formed_cases(Tier tier, const std::vector<Case>& cases) {
  std::string before;
  for (const Case& c : cases) {
    const std::string path = case_folder(c);
    EXPECT_LT(before, path);
    before = path;
    EXPECT_EQ(c.tier, tier) << path;
    EXPECT_FALSE(c.why.empty()) << path;
    EXPECT_EQ(c.why.find('\n'), std::string::npos) << path;
    EXPECT_EQ(path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-/"), std::string::npos)
        << path;
    EXPECT_TRUE(std::ranges::is_sorted(c.inputs, {}, &StoredTensor::name)) << path;
    const std::string first = has_operation<ref::model::EncoderOptions>(c) ? "head.weight"
                              : corpus::is_transformer(c)                  ? "head.bias"
                              : is_optimizer(c)                            ? "parameter"
                              : corpus::is_function(c)
                                  ? ref::model::operation_info(c.options).operands.front().name
                                  : "x";
    const DType dtype = find(c.inputs, first)->dtype;
    // One of x and y may have 8 bits, and the other one more.
    const bool is_quantized = is_quantization(case_operation_name(c));
    EXPECT_TRUE(dtype == c.dtype ||
                (corpus::is_scaled(c) && (dtype == DType::float32 || is_quantized)))
        << path;
    EXPECT_NO_THROW(inputs_of(c, path)) << path;
  }
  std::set<std::string> all = options_of_every_layer();
  for (const std::string& function : ref::model::function_names()) all.insert(function);
  for (const std::string& encoder : ref::model::encoder_operation_names()) all.insert(encoder);
  for (const std::string& whole : ref::model::transformer_operation_names()) all.insert(whole);
  for (const std::string& optimizer : ref::model::optimizer_names()) all.insert(optimizer);
  EXPECT_EQ(collect_layers(cases), all);
}

std::string hash_cases(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& c : cases) text += case_folder(c) + content_sha256(c.inputs);
  return text;
}

TEST(GoldenCorpus, QuickTierIsWellFormedAndReproducible) {
  const std::vector<Case> cases = corpus(Tier::quick);
  expect_well_formed_cases(Tier::quick, cases);
  EXPECT_EQ(hash_cases(cases), hash_cases(corpus(Tier::quick)));
}

TEST(GoldenCorpus, AnotherSeedChangesOnlyTheNumbers) {
  const std::vector<Case> cases = corpus(Tier::quick), others = corpus(Tier::quick, 1);
  ASSERT_EQ(cases.size(), others.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(case_folder(cases[i]), case_folder(others[i]));
    const bool random = cases[i].reason == "random" || cases[i].reason == "no_affine";
    if (random) {
      EXPECT_NE(content_sha256(cases[i].inputs), content_sha256(others[i].inputs));
    }
    if (cases[i].exact && case_operation_name(cases[i]) == "layer_norm") {
      EXPECT_EQ(content_sha256(cases[i].inputs), content_sha256(others[i].inputs));
    }
  }
}

TEST(GoldenCorpus, GlobSelectsTheMatchingCasesOfTheTier) {
  const std::vector<Case> whole = corpus(Tier::quick);
  for (const char* glob : {"quick/layer_norm/t[wv]*", "*/adam/*", "*gelu/random*", "quick/encoder*",
                           "quick/[rs]*_norm/two*", "qu*/softmax/*-float32"}) {
    std::vector<Case> left;
    std::ranges::copy_if(whole, std::back_inserter(left),
                         [&](const Case& c) { return PathGlobs(glob).match(case_folder(c)); });
    EXPECT_FALSE(left.empty()) << glob;
    EXPECT_EQ(hash_cases(corpus(Tier::quick, kCorpusSeed, glob)), hash_cases(left)) << glob;
  }
}

TEST(GoldenCorpus, StandardTierIsWellFormedAndReproducible) {
  const std::vector<Case> cases = corpus(Tier::standard);
  expect_well_formed_cases(Tier::standard, cases);
  EXPECT_EQ(hash_cases(cases), hash_cases(corpus(Tier::standard)));
}

TEST(GoldenCorpus, NoTwoQuickCasesAreEqual) {
  std::map<std::string, std::string> seen;
  for (const Case& c : corpus(Tier::quick)) {
    std::string question =
        case_operation_name(c) + (c.mode == Mode::training ? " training " : " inference ");
    for (const auto& [name, value] : ref::model::list_options(c.options))
      question.append(name).append("=").append(value).append(" ");
    if (corpus::is_scaled(c)) question.append(ref::io::to_string(c.dtype)).append(" ");
    question += content_sha256(c.inputs);
    EXPECT_TRUE(seen.emplace(question, case_folder(c)).second)
        << case_folder(c) << " asks what " << seen[question] << " asks";
  }
}

/// Returns the names in backticks in the first column of the document's table of regimes.
std::set<std::string> read_documented_regimes() {
  std::ifstream file(NORMPROOF_GOLDEN_DOCUMENT);
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## The regimes";
    if (!inside || !line.starts_with("| `")) continue;
    const std::string reasons = line.substr(1, line.find('|', 1) - 1);
    for (std::size_t begin = 0; (begin = reasons.find('`', begin)) != std::string::npos;) {
      const std::size_t end = reasons.find('`', begin + 1);
      names.insert(reasons.substr(begin + 1, end - begin - 1));
      begin = end + 1;
    }
  }
  return names;
}

TEST(GoldenCorpus, DocumentedRegimesAreThoseOfTheCorpus) {
  std::set<std::string> reasons;
  const auto add_regimes = [&](const std::vector<Case>& cases) {
    for (const Case& c : cases) reasons.insert(c.reason);
  };
  add_regimes(corpus(Tier::quick));
  add_regimes(corpus(Tier::standard));
  // The full tier is large. Its regimes are the same for all operations of a kind, so one operation
  // is enough.
  add_regimes(norm_cases(Tier::full, "layer_norm", kCorpusSeed));
  add_regimes(function_cases(Tier::full, "relu", kCorpusSeed));
  add_regimes(model_width_cases(Tier::full, "relu", kCorpusSeed));
  add_regimes(optimizer_cases(Tier::full, "sgd", kCorpusSeed));
  add_regimes(encoder_cases(Tier::full, "encoder", kCorpusSeed));
  const std::set<std::string> documented = read_documented_regimes();
  const auto stands_for = [](const std::string& name, const std::string& reason) {
    return name.ends_with("...") ? reason.starts_with(name.substr(0, name.size() - 3))
                                 : reason == name;
  };
  for (const std::string& reason : reasons)
    EXPECT_TRUE(
        std::ranges::any_of(documented, [&](auto& name) { return stands_for(name, reason); }))
        << "docs/guide/golden.md does not name " << reason;
  for (const std::string& name : documented)
    EXPECT_TRUE(
        std::ranges::any_of(reasons, [&](auto& reason) { return stands_for(name, reason); }))
        << "no tier has a regime " << name;
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
