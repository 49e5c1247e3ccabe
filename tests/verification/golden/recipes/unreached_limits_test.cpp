#include "verification/golden/recipes/unreached_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

using Hole = std::pair<std::string, std::string>;  ///< operation, unreached limit

std::map<std::string, Coverage> coverage_of_quick_and_standard_tiers() {
  std::map<std::string, Coverage> operations;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : corpus(tier)) operations[corpus::case_operation_name(c)].add(c);
  return operations;
}

TEST(CoverageHoles, AreExactlyTheListedOnes) {
  std::set<Hole> known;
  for (const KnownUnreachedLimit& hole : known_unreached_limits()) {
    EXPECT_FALSE(hole.reason.empty()) << hole.end;
    for (const std::string_view operation : hole.operations)
      EXPECT_TRUE(known.emplace(operation, hole.end).second)
          << operation << ": " << hole.end << " is listed twice";
  }
  for (const auto& [operation, coverage] : coverage_of_quick_and_standard_tiers())
    for (const std::string& end : unreached_limits(operation, coverage))
      EXPECT_EQ(known.erase({operation, end}), 1u)
          << operation << ": no case touches " << end
          << "; a case is missing, or a line of known_holes() with the reason";
  for (const auto& [operation, end] : known)
    ADD_FAILURE() << operation << ": a case touches " << end
                  << "; it is no hole, and leaves known_holes()";
}

TEST(CoverageHoles, IncludeEveryLimitIfThereAreNoCases) {
  EXPECT_THAT(
      unreached_limits("rms_norm", {}),
      IsSupersetOf({"dtype float64", "dtype float16", "eps <= 0", "eps >= 0.001",
                    "cast_order after_gamma", "cast_order before_gamma", "storage bfloat16"}));
  EXPECT_THAT(unreached_limits("power_norm_released", {}),
              IsSupersetOf({"group_scaling true", "group_scaling false", "groups <= 1",
                            "groups >= 32", "mode inference", "alpha_backward >= 1"}));
  EXPECT_THAT(unreached_limits("encoder", {}),
              IsSupersetOf({"activation gelu_tanh", "placement pre", "pooling per_position",
                            "norm dyt", "positions false", "num_heads >= 8"}));
  EXPECT_THAT(unreached_limits("adam", {}), IsSupersetOf({"eps <= 1e-08", "beta1 <= 0"}));
  EXPECT_THAT(unreached_limits("layer_norm", {}), Not(Contains("mode inference")));
}

TEST(CoverageHoles, AreDefinedForEveryNumericOption) {
  for (const std::string& operation : ref::model::operation_names())
    for (const std::string& end : unreached_limits(operation, {}))
      EXPECT_FALSE(end.ends_with("has no range")) << operation << ": " << end;
}

TEST(CoverageHoles, ExcludeReachedLimits) {
  Coverage coverage;
  coverage.extents = {{"features", {1, 1024}}, {"samples", {5}}};
  coverage.inputs = {{"gamma", {{kGiven, 3}}}};
  coverage.options = {{"eps", {{"0", 1}, {"0.0009", 1}}}};
  MagnitudeRange& x = coverage.magnitudes[{"x", DType::float16}];
  x.greatest = 20000;
  x.least = 1e-4;
  const std::vector<std::string> ends = unreached_limits("layer_norm", coverage);
  EXPECT_THAT(ends, IsSupersetOf({"features >= 1025", "gamma absent", "eps >= 0.001", "x 0",
                                  "x subnormal"}));
  for (const char* touched :
       {"features <= 1", "gamma given", "eps <= 0", "x near the largest number", "samples <= 1"})
    EXPECT_THAT(ends, Not(Contains(touched)));
  x.least = 1e-5;
  x.zero = true;
  EXPECT_THAT(unreached_limits("layer_norm", coverage), Not(Contains("x subnormal")));
  EXPECT_THAT(unreached_limits("layer_norm", coverage), Not(Contains("x 0")));
}

TEST(CoverageHoles, IncludeAMissingBlockExtent) {
  Coverage coverage;
  coverage.extents = {{"rows", {std::begin(kBlockEdges), std::end(kBlockEdges)}}};
  EXPECT_THAT(unreached_limits("layer_norm", coverage), Not(Contains("rows of every block")));
  coverage.extents["rows"].erase(64);
  EXPECT_THAT(unreached_limits("layer_norm", coverage), Contains("rows of every block"));
}

TEST(CoverageHoles, IncludeAMissingWidthOfAModel) {
  Coverage coverage;
  for (const char* extent : {"features", "features in 16 bits"})
    coverage.extents[extent] = {std::begin(kModelWidths), std::end(kModelWidths)};
  const auto ends = [&](const char* operation) { return unreached_limits(operation, coverage); };
  EXPECT_THAT(ends("layer_norm"), Not(Contains("features in 16 bits of every model")));
  EXPECT_THAT(ends("layer_norm"), Not(Contains("features of every model")));
  coverage.extents["features in 16 bits"].erase(5120);
  EXPECT_THAT(ends("layer_norm"), Contains("features in 16 bits of every model"));
  EXPECT_THAT(ends("rope"), Not(Contains("features in 16 bits of every model")));
  coverage.extents["features in 16 bits"].erase(64);
  EXPECT_THAT(ends("rope"), Contains("features in 16 bits of every model"));
  coverage.extents = {{"features a head", {64}}};
  EXPECT_THAT(ends("attention"), Contains("features a head of every model"));
  coverage.extents = {{"features a head", {64, 128}}};
  EXPECT_THAT(ends("attention"), Not(Contains("features a head of every model")));
}

TEST(CoverageHoles, IncludeTheLimitsOfProductionKernels) {
  Coverage coverage;
  coverage.extents = {{"channels of an image", {6, 31}},
                      {"elements in 16 bits", {35, 1024}},
                      {"keys before the first query", {0, 63}},
                      {"largest target", {0, 32767}},
                      {"past positions", {0, 64}}};
  const std::vector<std::string> ends = unreached_limits("softmax", coverage);
  EXPECT_THAT(ends, IsSupersetOf({"channels of an image >= 32", "elements in 16 bits >= 1025",
                                  "keys before the first query >= 64", "largest target >= 32768",
                                  "past positions >= 65"}));
  coverage.extents = {{"channels of an image", {6, 32}},
                      {"elements in 16 bits", {35, 1025}},
                      {"keys before the first query", {0, 64}},
                      {"largest target", {0, 32768}},
                      {"past positions", {0, 65}}};
  for (const std::string& end : unreached_limits("softmax", coverage))
    EXPECT_EQ(end.find(">="), std::string::npos) << end;
}

TEST(CoverageHoles, UnknownOperationIsRejected) {
  EXPECT_THROW(unreached_limits("layer_nrom", {}), ref::numeric::UsageError);
}

TEST(CoverageHoles, HaveAReasonPerOperation) {
  EXPECT_EQ(unreached_limit_reason("rope", "features <= 1"), "a pair is two features");
  EXPECT_EQ(unreached_limit_reason("softmax", "features <= 1"), "");
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
