#include "verification/golden/recipes/merge_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

std::string base_of(const Case& c) {
  for (const auto& [name, value] : ref::model::list_all_options(c.options))
    if (name == "log_sum_exp_base") return value;
  return {};
}

TEST(MergeCases, HaveBothBasesInEveryDtype) {
  std::set<std::pair<std::string, DType>> found;
  for (const Case& c : merge_cases(Tier::quick, kCorpusSeed))
    if (c.reason == "random" || c.reason == "base_2") found.emplace(base_of(c), c.dtype);
  EXPECT_EQ(found.size(), 8u);
}

TEST(MergeCases, HaveLogarithmsInFloat32BesideValuesIn16Bits) {
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : merge_cases(tier, kCorpusSeed)) {
      EXPECT_EQ(find(c.inputs, "o")->dtype, c.dtype) << case_folder(c);
      EXPECT_EQ(find(c.inputs, "log_sum_exp")->dtype,
                c.dtype == DType::float64 ? DType::float64 : DType::float32)
          << case_folder(c);
    }
}

TEST(MergeCases, HaveTheNumbersOfSplitsThatKernelsDivide) {
  std::set<std::size_t> splits;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : merge_cases(tier, kCorpusSeed))
      splits.insert(find(c.inputs, "o")->shape[0]);
  for (const std::size_t count : {1, 2, 3, 7, 31, 32, 33, 64, 65, 127, 128, 129})
    EXPECT_TRUE(splits.contains(count)) << count;
}

TEST(MergeCases, HaveEmptySplitsAtEachPlaceAndQueriesWithoutAny) {
  bool first = false, last = false, middle = false, all = false, nan = false, infinite = false;
  for (const Case& c : merge_cases(Tier::quick, kCorpusSeed)) {
    const auto& shape = find(c.inputs, "o")->shape;
    const std::vector<double> logs = find_tensor_values(c.inputs, "log_sum_exp"),
                              o = find_tensor_values(c.inputs, "o");
    const std::size_t rows = logs.size() / shape[0];
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t empty = 0;
      for (std::size_t split = 0; split < shape[0]; ++split) {
        const std::size_t at = split * rows + row;
        if (!std::isinf(logs[at])) continue;
        ++empty;
        EXPECT_LT(logs[at], 0) << case_folder(c);
        (split == 0 ? first : split + 1 == shape[0] ? last : middle) = true;
        nan |= std::isnan(o[at * shape[4]]);
        infinite |= std::isinf(o[at * shape[4]]);
      }
      all |= empty == shape[0];
    }
  }
  EXPECT_TRUE(first && last && middle && all && nan && infinite);
}

TEST(MergeCases, HaveLogarithmsWhoseExponentialsOverflowAndVanish) {
  double largest = 0, smallest = 0;
  for (const Case& c : merge_cases(Tier::quick, kCorpusSeed))
    for (const double log : find_tensor_values(c.inputs, "log_sum_exp")) {
      if (!std::isfinite(log)) continue;
      largest = std::max(largest, log);
      smallest = std::min(smallest, log);
    }
  EXPECT_GT(largest, 9e3);
  EXPECT_LT(smallest, -9e3);
}

TEST(MergeCases, TheFullTierHasNone) {
  EXPECT_TRUE(merge_cases(Tier::full, kCorpusSeed).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
