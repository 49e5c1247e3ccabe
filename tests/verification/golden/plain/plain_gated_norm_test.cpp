#include "verification/golden/plain/plain_gated_norm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/gated_norm_corpus.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<StoredTensor> run_gated_norm(const Case& c, const Mutation& mutation = {},
                                         const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_gated_norm(c, inputs_of(c), style, sites);
}

TEST(PlainGatedNorm, EveryFormulaAgreesWithTheReference) {
  std::size_t compared = 0;
  for (const Case& c : recipes::gated_norm_cases(Tier::quick, 7)) {
    if (c.dtype != DType::float64 || !c.reason.starts_with("random")) continue;
    const auto expected = certify::certify(c).tensors;
    for (const Style& style : {Style{}, Style{.divide = true}})
      for (const StoredTensor& tensor : run_gated_norm(c, {}, style)) {
        const auto got = ref::io::widen(tensor), wanted = find_tensor_values(expected, tensor.name);
        ASSERT_EQ(got.size(), wanted.size()) << case_folder(c);
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], wanted[i], 0x1p-44 * (1 + std::fabs(wanted[i]))) << case_folder(c);
        ++compared;
      }
  }
  EXPECT_EQ(compared, 4u * 2 * 5);
}

TEST(PlainGatedNorm, MutationsChangeTheOutput) {
  Case c;
  c.reason = "sample";
  c.why = "a test's own";
  c.options = ref::model::operation("gated_rms_norm");
  for (const auto& [name, value] :
       {std::pair{"gate_activation", "sigmoid"}, {"groups", "2"}, {"eps", "0"}})
    ref::model::set_option(c.options, name, value);
  c.inputs = {make_stored_tensor("gamma", DType::float64, {4}, {1, 1, 10, 10}),
              make_stored_tensor("gate", DType::float64, {1, 4}, {0, 0, 0, 0}),
              make_stored_tensor("grad_y", DType::float64, {1, 4}, {1, 0, 0, 0}),
              make_stored_tensor("x", DType::float64, {1, 4}, {1, 7, 3, 3})};
  const auto of = [&](const char* name, const Mutation& mutation) {
    return find_tensor_values(run_gated_norm(c, mutation), name);
  };
  const auto near = [](double v) { return DoubleNear(v, 1e-15); };
  EXPECT_THAT(of("y", {}), ElementsAre(near(0.1), near(0.7), near(5), near(5)));
  EXPECT_THAT(of("y", {"a(gate) behind the norm", MutationOperator::drop}),
              ElementsAre(near(0.2), near(1.4), near(10), near(10)));
  EXPECT_THAT(of("y", {"activation of the gate", MutationOperator::other}),
              ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(of("y", {"group of the statistic", MutationOperator::one_more}),
              ElementsAre(near(1.0 / 6), near(7.0 / 6), near(3), near(3)));
  EXPECT_THAT(of("y", {"gamma of a group", MutationOperator::repeat_1}),
              ElementsAre(near(0.1), near(0.7), near(0.5), near(0.5)));
  const double row = std::sqrt(17);
  EXPECT_THAT(of("y", {"features of a group", MutationOperator::whole_row}),
              ElementsAre(near(0.5 / row), near(3.5 / row), near(15 / row), near(15 / row)));
  EXPECT_THAT(of("grad_gamma", {}), ElementsAre(near(0.1), 0, 0, 0));
  EXPECT_THAT(of("grad_gamma", {"a(gate) in grad_gamma and grad_beta", MutationOperator::drop}),
              ElementsAre(near(0.2), 0, 0, 0));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
