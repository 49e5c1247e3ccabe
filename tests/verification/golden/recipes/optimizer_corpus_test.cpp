#include "verification/golden/recipes/optimizer_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_folder;
using corpus::DType;
using corpus::find;
using corpus::StoredTensor;
using corpus::Tier;

using gate::check_case;
using gate::TensorResult;
namespace {

using ::testing::IsSupersetOf;

TEST(OptimizerCases, HaveTheRegimesOfTheirOptimizer) {
  for (const std::string& optimizer : ref::model::optimizer_names()) {
    std::set<std::string> reasons;
    for (const Case& c : optimizer_cases(Tier::quick, optimizer, kCorpusSeed))
      reasons.insert(c.reason);
    EXPECT_THAT(reasons, IsSupersetOf({"random", "first_steps", "slow_decay", "single_step",
                                       "sparse_gradient", "one_element", "odd"}))
        << optimizer;
    EXPECT_EQ(reasons.contains("exact"), optimizer == "sgd");
    EXPECT_EQ(reasons.contains("gradients_near_eps"), optimizer != "sgd");
    EXPECT_EQ(reasons.contains("large_decay"), optimizer == "adamw");
  }
}

std::map<DType, std::set<std::size_t>> collect_elements(Tier tier, const std::string& optimizer,
                                                        const std::string& reason) {
  std::map<DType, std::set<std::size_t>> elements;
  for (const Case& c : optimizer_cases(tier, optimizer, kCorpusSeed))
    if (c.reason == reason)
      elements[c.dtype].insert(find_tensor_values(c.inputs, "parameter").size());
  return elements;
}

TEST(OptimizerCases, HaveMoreElementsThanAThreadOrABlockHoldsInSixteenBits) {
  using ::testing::ElementsAre;
  for (const std::string& optimizer : ref::model::optimizer_names()) {
    EXPECT_THAT(collect_elements(Tier::quick, optimizer, "whole_vectors")[DType::bfloat16],
                ElementsAre(72))
        << optimizer;
    auto standard = collect_elements(Tier::standard, optimizer, "whole_vectors");
    EXPECT_THAT(standard[DType::bfloat16], ElementsAre(1032, 4104)) << optimizer;
    EXPECT_THAT(standard[DType::float16], ElementsAre(1032, 4104)) << optimizer;
    auto full = collect_elements(Tier::full, optimizer, "past_2_to_20_elements");
    EXPECT_THAT(full[DType::float32], ElementsAre(1025 * 1024)) << optimizer;
    EXPECT_THAT(full[DType::bfloat16], ElementsAre(1025 * 1024)) << optimizer;
  }
}

TEST(OptimizerCases, StateIsZeroBeforeTheFirstStep) {
  std::size_t seen = 0;
  for (const std::string& optimizer : ref::model::optimizer_names())
    for (const Case& c : optimizer_cases(Tier::quick, optimizer, 1))
      for (const char* moment : {"velocity", "first_moment", "second_moment"}) {
        const StoredTensor* const tensor = find(c.inputs, moment);
        if (tensor == nullptr || c.exact) continue;
        const bool begins = find_tensor_values(c.inputs, "iterations")[0] == 0;
        for (const double v : ref::io::widen(*tensor)) {
          EXPECT_EQ(v == 0, begins) << case_folder(c) << " " << moment;
          EXPECT_TRUE(std::string_view(moment) != "second_moment" || v >= 0) << case_folder(c);
        }
        ++seen;
      }
  EXPECT_GT(seen, 60u);
}

/// The bound of each judged element must be less than a hundredth of the element, or of its change
/// in the step.
TEST(OptimizerCases, HaveBoundsThatAreNotVacuous) {
  for (const std::string& optimizer : ref::model::optimizer_names())
    for (const Case& c : optimizer_cases(Tier::quick, optimizer, kCorpusSeed)) {
      const StoredCase stored = certified(c);
      for (const TensorResult& tensor : check_case(stored, reference_output(stored), {}).tensors) {
        EXPECT_TRUE(tensor.passed()) << case_folder(c) << " " << tensor.name;
        EXPECT_EQ(tensor.unjudged, 0u) << case_folder(c) << " " << tensor.name;
        EXPECT_LE(tensor.bound, 0.01 * std::fabs(tensor.exact))
            << case_folder(c) << " " << tensor.name;
      }
    }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
