#include "verification/golden/plain/plain_cross_entropy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/cross_entropy_case.hpp"
#include "verification/golden/recipes/cross_entropy_corpus.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

std::vector<StoredTensor> run_loss(const Case& c, const Mutation& mutation = {},
                                   const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_cross_entropy(c, inputs_of(c), style, sites);
}
std::vector<double> lost(const Case& c, const char* name, const Mutation& mutation = {}) {
  return find_tensor_values(run_loss(c, mutation), name);
}

TEST(PlainCrossEntropy, EveryStyleAgreesWithTheReference) {
  for (const Case& c : recipes::cross_entropy_cases(Tier::quick, 7)) {
    if (c.dtype != DType::float64 || c.reason.starts_with("offset")) continue;
    const auto expected = certify::certify(c).tensors;
    for (const Style& style : {Style{}, Style{.sum = Style::Sum::backwards}, Style{.welford = true},
                               Style{.divide = true}, Style{.powers = true}, Style{.from_y = true}})
      for (const StoredTensor& tensor : run_loss(c, {}, style)) {
        const auto got = ref::io::widen(tensor), wanted = find_tensor_values(expected, tensor.name);
        ASSERT_EQ(got.size(), wanted.size()) << case_folder(c) << " " << tensor.name;
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], wanted[i], 0x1p-40 * (1 + std::fabs(wanted[i])))
              << case_folder(c) << " " << tensor.name;
      }
  }
}

TEST(PlainCrossEntropy, MutationsOfTheMeanChangeTheLoss) {
  const double log2 = std::log(2);
  Case c = cross_entropy_case_of_two_rows();
  EXPECT_THAT(lost(c, "loss"), ElementsAre(DoubleEq(log2)));
  EXPECT_THAT(lost(c, "grad_logits"), ElementsAre(-0.25, 0.25, 0.25, -0.25));
  EXPECT_THAT(lost(c, "loss", {"divisor of the mean loss", MutationOperator::drop}),
              ElementsAre(DoubleEq(2 * log2)));
  EXPECT_THAT(lost(c, "grad_logits", {"mean loss of several shards", MutationOperator::twice}),
              ElementsAre(-0.5, 0.5, 0.5, -0.5));
  EXPECT_THAT(lost(c, "loss", {"logarithm of the sum", MutationOperator::other}),
              ElementsAre(DoubleEq(1)));
  EXPECT_THAT(lost(c, "grad_logits", {"target of a row", MutationOperator::other}),
              ElementsAre(0.25, -0.25, -0.25, 0.25));
  c.inputs.push_back(make_stored_tensor("valid", DType::boolean, {2}, {1, 0}));
  EXPECT_THAT(lost(c, "grad_logits"), ElementsAre(-0.5, 0.5, 0, 0));
  EXPECT_THAT(lost(c, "loss", {"divisor of the mean loss", MutationOperator::insert}),
              ElementsAre(DoubleEq(log2 / 2)));
  EXPECT_THAT(lost(c, "grad_logits", {"mask of the gradient", MutationOperator::ignore_mask}),
              ElementsAre(-0.5, 0.5, 0.5, -0.5));
}

TEST(PlainCrossEntropy, MutationsOfTheSmoothingChangeTheLoss) {
  Case c = cross_entropy_case_of_two_rows();
  ref::model::set_option(c.options, "label_smoothing", "0.5");
  EXPECT_THAT(lost(c, "grad_logits"), ElementsAre(-0.125, 0.125, 0.125, -0.125));
  EXPECT_THAT(lost(c, "grad_logits", {"label smoothing of a class", MutationOperator::one_less}),
              ElementsAre(-0.125, 0.125, 0.125, -0.125));
  EXPECT_THAT(lost(c, "grad_logits", {"smoothing in the gradient", MutationOperator::drop}),
              ElementsAre(0, 0.25, 0.25, 0));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
