#include "ref/model/attention_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

using ::testing::ElementsAre;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

TEST(AttentionStates, HaveTheExtentsOfPartialResults) {
  const AttentionStates states =
      attention_states("merge", {5, 2, 3, 4, 6}, {5, 2, 3, 4}, {5, 2, 3, 4});
  EXPECT_EQ(states.splits, 5u);
  EXPECT_EQ(states.rows, 24u);
  EXPECT_EQ(states.value_features, 6u);
  EXPECT_THAT(states.queries, ElementsAre(2, 3, 4));
  EXPECT_THAT(states.y_shape(), ElementsAre(2, 3, 4, 6));
  EXPECT_EQ(states.state(2, 7), 55u);
}

TEST(AttentionStates, LogarithmsOfMinusInfinityMarkEmptySplits) {
  tensor::Tensor<double> logs = tensor::full_tensor<double>({2, 1, 1, 2}, 3.0);
  EXPECT_FALSE(tensor::is_given(split_states(logs).present));
  logs.data()[1] = logs.data()[2] = logs.data()[3] = kMinusInfinity;
  const SplitStates parts = split_states(logs);
  EXPECT_THAT(parts.finite, ElementsAre(3, 0, 0, 0));
  EXPECT_THAT(parts.present, ElementsAre(true, false, false, false));
  const AttentionStates states = attention_states("merge", {2, 1, 1, 2, 1}, {2, 1, 1, 2}, {});
  EXPECT_THAT(states_by_row(states, parts.present), ElementsAre(true, false, false, false));
  EXPECT_THAT(queries_without_state(states, parts.present), ElementsAre(false, true));
  EXPECT_TRUE(is_present(parts.present, 0));
  EXPECT_FALSE(is_present(parts.present, 1));
  EXPECT_TRUE(is_present({}, 1));
}

TEST(AttentionStates, MasksByRowExchangeSplitsAndQueries) {
  tensor::Mask present = tensor::full_tensor<bool>({3, 1, 1, 2}, true);
  present.data()[1] = false;  // the first split of the second query
  const AttentionStates states = attention_states("merge", {3, 1, 1, 2, 1}, {3, 1, 1, 2}, {});
  EXPECT_THAT(states_by_row(states, present), ElementsAre(true, true, true, false, true, true));
  EXPECT_THAT(queries_without_state(states, present), ElementsAre(false, false));
  EXPECT_FALSE(tensor::is_given(states_by_row(states, {})));
  EXPECT_FALSE(tensor::is_given(queries_without_state(states, {})));
}

std::string states_rejection(const tensor::Shape& o, const tensor::Shape& logs,
                             const tensor::Shape& present = {}) {
  return numeric::contract_message([&] { attention_states("merge", o, logs, present); });
}

TEST(AttentionStates, C1_RejectsValuesWithoutAnAxisOfSplits) {
  EXPECT_EQ(states_rejection({2, 2, 3, 4}, {2, 2, 3}),
            "merge: o has shape [2, 2, 3, 4]; expected [P,B,H,T,E] with every extent at least 1 "
            "(C1)");
  EXPECT_EQ(states_rejection({0, 2, 2, 3, 4}, {0, 2, 2, 3}),
            "merge: o has shape [0, 2, 2, 3, 4]; expected [P,B,H,T,E] with every extent at least 1 "
            "(C1)");
}

TEST(AttentionStates, C2_RejectsLogarithmsOfAnotherShape) {
  EXPECT_EQ(states_rejection({2, 1, 2, 3, 4}, {2, 1, 3, 2}),
            "merge: log_sum_exp has shape [2, 1, 3, 2]; expected shape [2, 1, 2, 3] (C2)");
}

TEST(AttentionStates, C3_RejectsAMaskOfAnotherShape) {
  EXPECT_EQ(states_rejection({2, 1, 2, 3, 4}, {2, 1, 2, 3}, {2, 1, 2}),
            "merge: present has shape [2, 1, 2]; expected shape [2, 1, 2, 3] (C3)");
}

}  // namespace
}  // namespace normproof::ref::model
