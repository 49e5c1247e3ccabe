#include "verification/golden/gate/simple_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/gate/wrong_kernel.hpp"
#include "verification/golden/gate/diagnose.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const StoredCase& layer_norm_case() {
  static const StoredCase stored =
      certified(plain_recipe("layer_norm", {3, 4}, DType::float32).make(1));
  return stored;
}

std::vector<StoredTensor> right_answer() {
  return run_mutation(layer_norm_case().description.c, {});
}

std::vector<std::string> sentences(const StoredCase& stored,
                                   const std::vector<StoredTensor>& answer) {
  std::vector<std::string> lines;
  for (const Diagnosis& found : diagnose(stored, answer, check_case(stored, answer, {})))
    lines.push_back(found.sentence());
  return lines;
}

std::vector<std::string> sentences_with_y(
    const std::function<double(double, std::size_t)>& change) {
  return sentences(layer_norm_case(), change_output(right_answer(), "y", change));
}

TEST(SimpleAnswers, NameZerosNaNAndConstants) {
  EXPECT_THAT(sentences_with_y([](double, auto) { return 0.0; }),
              ElementsAre("every element is 0: y"));
  EXPECT_THAT(sentences_with_y([](double, auto) { return kGoldenNaN; }),
              ElementsAre("every element is NaN: y"));
  EXPECT_THAT(sentences_with_y([](double, auto) { return 2.5; }),
              ElementsAre("every element is 2.5: y"));
  EXPECT_THAT(sentences_with_y([](double, std::size_t i) { return 1.0 + double(i % 4); }),
              ElementsAre("every row is the same, whatever the input: y"));
}

TEST(SimpleAnswers, NameTheInputThatIsReturned) {
  const auto x = find_tensor_values(layer_norm_case().description.c.inputs, "x");
  EXPECT_THAT(sentences_with_y([&](double, std::size_t i) { return x[i]; }),
              ElementsAre("the input x is returned: y"));
}

TEST(SimpleAnswers, NameARunningStatisticThatNeverMoves) {
  const StoredCase stored = certified(plain_recipe("batch_norm", {6, 4}, DType::float32).make(1));
  const auto old = find_tensor_values(stored.description.c.inputs, "running_mean");
  const auto answer = change_output(run_mutation(stored.description.c, {}), "running_mean",
                                    [&](double, std::size_t i) { return old[i]; });
  EXPECT_THAT(sentences(stored, answer),
              ElementsAre("the input running_mean is returned: running_mean"));
}

TEST(SimpleAnswers, OutputsOfOneNameShareALineAndTheOthersAreStillExplained) {
  auto answer = run_mutation(layer_norm_case().description.c,
                             {"mean of g", mutations::MutationOperator::drop});
  for (const char* name : {"y", "grad_gamma"})
    answer = change_output(answer, name, [](double, auto) { return 0.0; });
  EXPECT_THAT(sentences(layer_norm_case(), answer),
              ElementsAre("every element is 0: grad_gamma, y",
                          ::testing::MatchesRegex("agrees with 'mean of g: dropped' .*: grad_x")));
}

TEST(SimpleAnswers, FindNothingInOrdinaryWrongOutputs) {
  const auto answer = change_output(right_answer(), "y", [](double v, std::size_t i) {
    return double{static_cast<float>(v + static_cast<double>(i))};
  });
  EXPECT_THAT(name_simple_answers(layer_norm_case().description.c,
                                  failing_outputs_of(layer_norm_case(), answer)),
              IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::golden::gate
