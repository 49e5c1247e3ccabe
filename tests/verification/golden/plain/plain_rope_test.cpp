#include "verification/golden/plain/plain_rope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/rope_corpus.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::ElementsAre;

std::vector<StoredTensor> run_rope(const Case& c, const Mutation& mutation = {},
                                   const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_rope(c, inputs_of(c), style, sites);
}

TEST(PlainRope, EveryStyleAgreesWithTheReference) {
  for (const Case& c : recipes::rope_cases(Tier::quick, 7)) {
    if (c.dtype != DType::float64) continue;
    const auto expected = certify::certify(c).tensors;
    for (const Style& style : {Style{}, Style{.from_y = true}})
      for (const StoredTensor& tensor : run_rope(c, {}, style)) {
        const auto got = ref::io::widen(tensor), wanted = find_tensor_values(expected, tensor.name);
        ASSERT_EQ(got.size(), wanted.size()) << case_folder(c);
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], wanted[i], 0x1p-48 * (1 + std::fabs(wanted[i]))) << case_folder(c);
      }
  }
}

TEST(PlainRope, MutationsChangeTheOutput) {
  Case c;
  c.reason = "sample";
  c.why = "a test's own";
  c.options = ref::model::operation("rope");
  c.inputs = {make_stored_tensor("cos", DType::float64, {1, 2}, {0, 3}),
              make_stored_tensor("grad_y", DType::float64, {1, 1, 5}, {1, 2, 3, 4, 5}),
              make_stored_tensor("sin", DType::float64, {1, 2}, {1, 0}),
              make_stored_tensor("x", DType::float64, {1, 1, 5}, {1, 2, 3, 4, 5})};
  const auto of = [&](const char* name, const Mutation& mutation) {
    return find_tensor_values(run_rope(c, mutation), name);
  };
  EXPECT_THAT(of("y", {}), ElementsAre(-3, 6, 1, 12, 5));
  EXPECT_THAT(of("grad_x", {}), ElementsAre(3, 6, -1, 12, 5));
  EXPECT_THAT(of("y", {"pairing", MutationOperator::other}), ElementsAre(-2, 1, 9, 12, 5));
  EXPECT_THAT(of("grad_x", {"sign of sin in the backward", MutationOperator::negate}),
              ElementsAre(-3, 6, 1, 12, 5));
  EXPECT_THAT(of("y", {"features without a pair", MutationOperator::drop}),
              ElementsAre(-3, 6, 1, 12, 0));
  EXPECT_THAT(of("y", {"tables", MutationOperator::other}), ElementsAre(1, -12, 3, 6, 5));
  EXPECT_THAT(of("y", {"tables", MutationOperator::transposed}), ElementsAre(-3, -4, 9, 12, 5));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
