#include "verification/bindings/c/selected_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "tests/verification/bindings/c/opened.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::tests::verification::bindings::c {
namespace {

using CAbiExpectedValues = CAbi;

TEST_F(CAbiExpectedValues, ValuesAndBoundsEqualThoseOfTheGate) {
  for (const std::string& path :
       {std::string(kRandom), std::string("quick/rms_norm/random-3x5x6-bfloat16"),
        std::string("quick/layer_norm/offset_1e4-7x16-float32")}) {
    ASSERT_EQ(open(path), NORMPROOF_OK) << error();
    select(0);
    const golden::certify::StoredCase stored = read_committed_case(path);
    const golden::tolerance::Tolerance bounds =
        golden::gate::tolerance_for_options(stored.description.c, {});
    std::size_t count = 0;
    const normproof_expected* outputs = nullptr;
    ASSERT_EQ(normproof_expect(corpus_, &count, &outputs), NORMPROOF_OK) << error();
    std::vector<std::string> names;
    for (const normproof_expected& output : std::span(outputs, count)) {
      names.emplace_back(output.name);
      const auto exact = golden::certify::exact_values(stored, output.name);
      const auto* const tensor = golden::corpus::find(stored.expected, output.name);
      ASSERT_EQ(output.count, exact.high.size());
      EXPECT_EQ(static_cast<golden::corpus::DType>(output.dtype), tensor->dtype);
      EXPECT_EQ(std::vector<std::size_t>(output.shape, output.shape + output.rank), tensor->shape);
      EXPECT_EQ(output.required, golden::gate::is_required(stored, output.name, {}) ? 1 : 0);
      for (std::size_t i = 0; i < output.count; ++i) {
        EXPECT_EQ(output.value[i], exact.high[i]);
        EXPECT_EQ(output.remainder[i], exact.low[i]);
        EXPECT_EQ(output.bound[i], golden::tolerance::with_storage_rounding(
                                       bounds.bound.at(output.name).data()[i], exact.high[i],
                                       exact.low[i], tensor->dtype));
      }
    }
    EXPECT_EQ(names, stored.description.outputs);
  }
}

TEST_F(CAbiExpectedValues, OptionsOfTheCheckChangeTheBounds) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  select(0);
  const auto grad_x = [&] {
    std::size_t count = 0;
    const normproof_expected* outputs = nullptr;
    EXPECT_EQ(normproof_expect(corpus_, &count, &outputs), NORMPROOF_OK) << error();
    for (const normproof_expected& output : std::span(outputs, count))
      if (std::string_view(output.name) == "grad_x")
        return std::pair(output.required, output.bound[0]);
    return std::pair(-1, 0.0);
  };
  const auto [required, bound] = grad_x();
  EXPECT_EQ(required, 1);
  ASSERT_EQ(normproof_set(corpus_, "accumulation", "float32"), NORMPROOF_OK);
  ASSERT_EQ(normproof_set(corpus_, "outputs", "y"), NORMPROOF_OK);
  EXPECT_EQ(grad_x().first, 0);
  EXPECT_GT(grad_x().second, 1000 * bound);
}

TEST_F(CAbiExpectedValues, ElementsThatDependOnANaNAreNaN) {
  const auto paths = golden::certify::list_corpus(kGolden, "quick/layer_norm/nan_*float32");
  ASSERT_FALSE(paths.empty());
  ASSERT_EQ(open(paths[0].path), NORMPROOF_OK);
  select(0);
  std::size_t count = 0;
  const normproof_expected* outputs = nullptr;
  ASSERT_EQ(normproof_expect(corpus_, &count, &outputs), NORMPROOF_OK);
  std::size_t undefined = 0;
  for (const normproof_expected& output : std::span(outputs, count))
    for (std::size_t i = 0; i < output.count; ++i) {
      EXPECT_EQ(std::isnan(output.value[i]), std::isnan(output.bound[i]));
      undefined += std::isnan(output.value[i]) ? 1 : 0;
    }
  EXPECT_GT(undefined, 0u);
}

TEST_F(CAbiExpectedValues, RejectsCallsWithoutASelectedCase) {
  std::size_t count = 0;
  const normproof_expected* outputs = nullptr;
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  EXPECT_EQ(normproof_expect(corpus_, &count, &outputs), NORMPROOF_USAGE);
  EXPECT_THAT(error(), testing::HasSubstr("no case is selected"));
  select(0);
  EXPECT_EQ(normproof_expect(corpus_, nullptr, &outputs), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_expect(corpus_, &count, nullptr), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_expect(nullptr, &count, &outputs), NORMPROOF_USAGE);
}

}  // namespace
}  // namespace normproof::tests::verification::bindings::c
