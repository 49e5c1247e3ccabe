/// Compares ref at 100 digits with the definition for every layer, every option that changes a
/// formula, every shape with extents up to 3, and every mask. Also compares the three methods of
/// differentiating the definition with each other.

#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"

namespace normproof::verification::checks::oracle {
namespace {

using ref::numeric::ContractError;
using ref::numeric::oracle50;

/// Whether ref and the oracle both reject the case. Fails the test if only one of them rejects it.
bool both_reject(const Case& c) {
  bool oracle_refuses = false;
  bool ref_refuses = false;
  try {
    run_oracle(c, Method::reverse);
  } catch (const ContractError&) {
    oracle_refuses = true;
  }
  try {
    run<double>(c);
  } catch (const ContractError&) {
    ref_refuses = true;
  }
  EXPECT_EQ(ref_refuses, oracle_refuses) << c.name();
  return ref_refuses || oracle_refuses;
}

struct CaseCounts {
  std::size_t compared = 0;
  std::size_t refused = 0;
};

void check(const Case& c, bool every_method, CaseCounts& counts) {
  if (both_reject(c)) {
    ++counts.refused;
    return;
  }
  ++counts.compared;
  const auto bound = run<running_error>(c);
  const auto expected = run_oracle(c, Method::reverse);
  ASSERT_TRUE(agrees_with_oracle(run<oracle100>(c), expected, bound)) << c.name();
  if (!every_method) return;
  ASSERT_TRUE(agrees_with_oracle(run<oracle50>(c), expected, bound)) << c.name();
  ASSERT_TRUE(agrees_with_oracle(run_oracle(c, Method::dual), expected, bound)) << c.name();
  ASSERT_TRUE(agrees_with_oracle(run_oracle(c, Method::complex_step), expected, bound)) << c.name();
}

void check_every_mask(const Shape& shape, Mode mode, CaseCounts& counts) {
  const std::string stream = "small world " + ref::tensor::to_string(shape);
  const auto x = normal(stream + "/x", shape, 0.5, 2);
  std::size_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  for (const auto& options : options_of_every_layer(shape.back())) {
    Case c = make_case(options, x, mode, stream);
    check(c, true, counts);
    if (::testing::Test::HasFatalFailure()) return;
    // In inference, the running statistics do not depend on the mask either.
    if (!uses_mask(options) || (mode == Mode::inference && has_state(options))) {
      c.inputs.valid = mask_of_bits(shape, 0);
      check(c, false, counts);
      continue;
    }
    // Compares the three methods of differentiating the definition, also for the last mask of each
    // shape.
    const std::uint64_t masks = std::uint64_t{1} << rows;
    for (std::uint64_t bits = 0; bits < masks; ++bits) {
      c.inputs.valid = mask_of_bits(shape, bits);
      check(c, bits + 2 == masks, counts);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

class ReferenceOnSmallInputs : public ::testing::TestWithParam<Mode> {};

TEST_P(ReferenceOnSmallInputs, MatchesTheDefinitionForAllSmallMatrices) {
  CaseCounts counts;
  for (std::size_t n = 1; n <= 3; ++n)
    for (std::size_t d = 1; d <= 3; ++d)
      ASSERT_NO_FATAL_FAILURE(check_every_mask({n, d}, GetParam(), counts));
  RecordProperty("compared", static_cast<int>(counts.compared));
  EXPECT_GT(counts.compared, 9 * 25u);
}

TEST_P(ReferenceOnSmallInputs, MatchesTheDefinitionForAllSmallBatches) {
  CaseCounts counts;
  constexpr std::size_t kRows = 6;  // each additional row doubles the number of masks
  for (std::size_t b = 1; b <= 3; ++b)
    for (std::size_t t = 1; t <= 3 && b * t <= kRows; ++t)
      for (std::size_t d = 1; d <= 3; ++d)
        ASSERT_NO_FATAL_FAILURE(check_every_mask({b, t, d}, GetParam(), counts));
  RecordProperty("compared", static_cast<int>(counts.compared));
  EXPECT_GT(counts.compared, 24 * 25u);
  if (GetParam() == Mode::training) {
    EXPECT_GT(counts.refused, 24u) << "masks without a valid row";
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, ReferenceOnSmallInputs,
                         ::testing::Values(Mode::training, Mode::inference), [](const auto& mode) {
                           return mode.param == Mode::training ? "training" : "inference";
                         });

}  // namespace
}  // namespace normproof::verification::checks::oracle
