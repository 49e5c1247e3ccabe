#include "verification/golden/gate/diagnose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"

namespace normproof::verification::golden::gate {

using mutations::Mutation;
using mutations::MutationOperator;
using mutations::Sites;
using plain::run_plain;
using plain::Style;
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

const StoredCase& case_with_variance_near_eps() {
  static const StoredCase stored =
      certified(plain_recipe("layer_norm", {5, 8}, DType::float32)
                    .x([](std::size_t, double normal) { return 0x1p-8 * normal; })
                    .make(1));
  return stored;
}

std::vector<StoredTensor> broken(const Mutation& mutation, const Style& style = {}) {
  Sites sites(mutation);
  return run_plain(case_with_variance_near_eps().description.c,
                   recipes::inputs_of(case_with_variance_near_eps().description.c), style, sites);
}

std::vector<Diagnosis> diagnose_output(const std::vector<StoredTensor>& answer) {
  return diagnose(case_with_variance_near_eps(), answer,
                  check_case(case_with_variance_near_eps(), answer, {}));
}

TEST(Diagnose, NamesTheWrongFormulaForAnyOrderOfOperations) {
  for (const Mutation& mutation :
       {Mutation{"eps", MutationOperator::outside_root}, Mutation{"eps", MutationOperator::drop},
        Mutation{"n of the statistic", MutationOperator::one_less},
        Mutation{"mean of g", MutationOperator::drop}})
    for (const Style& style :
         {Style{}, Style{.sum = Style::Sum::backwards}, Style{.welford = true}}) {
      if (style.welford && mutation.site == "n of the statistic")
        continue;  // this style has no such mutation site
      const auto found = diagnose_output(broken(mutation, style));
      ASSERT_THAT(found, Not(IsEmpty())) << mutation.site;
      EXPECT_EQ(found[0].what, mutation.site + ": " + std::string(to_string(mutation.op)));
      EXPECT_EQ(found[0].kind, Diagnosis::Kind::mistake);
      // Both implementations round, so their results differ by a few ulps at most.
      EXPECT_LE(found[0].ulps, 8 * 8) << mutation.site;
    }
}

TEST(Diagnose, ExplainsTheOtherOutputsEvenIfOneCannotBeExplained) {
  auto answer = broken({"eps", MutationOperator::outside_root});
  for (StoredTensor& tensor : answer)
    if (tensor.name == "rstd")
      tensor = make_stored_tensor("rstd", tensor.dtype, tensor.shape, std::vector<double>(5, 1));
  const auto found = diagnose_output(answer);
  ASSERT_THAT(found, Not(IsEmpty()));
  EXPECT_EQ(found[0].sentence(), "every element is 1: rstd");
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[1].what, "eps: outside the root");
  EXPECT_THAT(found[1].outputs, ElementsAre("grad_gamma", "grad_x", "y"));
}

TEST(Diagnose, NamesTheUsualPrecisionIfTheDeclaredOneIsFiner) {
  const std::vector<StoredTensor> right = broken({});
  const CaseResult result =
      check_case(case_with_variance_near_eps(), right, {.accumulation = Accumulation::float64});
  ASSERT_FALSE(result.passed());
  const std::vector<Diagnosis> found = diagnose(case_with_variance_near_eps(), right, result,
                                                {.accumulation = Accumulation::float64});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].sentence(), "no farther off than sums in float32 may be");
}

TEST(Diagnose, DoesNotExplainOutputsThatAMistakeLeavesUnchanged) {
  // rstd is wrong. The other outputs fail because the check requires sums in float64.
  const std::vector<StoredTensor> answer =
      replace_element(broken({}), "rstd", 2, find_tensor_values(broken({}), "rstd")[2] * 2);
  const CaseResult result =
      check_case(case_with_variance_near_eps(), answer, {.accumulation = Accumulation::float64});
  ASSERT_GT(std::ranges::count_if(result.tensors, [](const auto& t) { return !t.passed(); }), 3);
  for (const Diagnosis& found : diagnose(case_with_variance_near_eps(), answer, result,
                                         {.accumulation = Accumulation::float64}))
    EXPECT_NE(found.kind, Diagnosis::Kind::mistake) << found.sentence();
}

TEST(Diagnose, FindsNothingForACorrectOutput) {
  EXPECT_THAT(diagnose_output(broken({})), IsEmpty());
}

TEST(Diagnose, DescribesTheLocationOfAnUnknownMistake) {
  auto answer = broken({});
  for (StoredTensor& tensor : answer) {
    if (tensor.name != "y") continue;
    std::vector<double> values = ref::io::widen(tensor);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    tensor = make_stored_tensor("y", tensor.dtype, tensor.shape, values);
  }
  const auto found = diagnose_output(answer);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Diagnosis::Kind::place);
  EXPECT_EQ(found[0].sentence(), "no known mistake; wrong: y in every element");
}

/// Returns a case of layer_norm in bfloat16, and the outputs of an implementation with sums in that
/// format.
std::pair<StoredCase, std::vector<StoredTensor>> case_with_errors_of_bfloat16() {
  StoredCase stored = certified(plain_recipe("layer_norm", {5, 64}, DType::bfloat16).make(1));
  auto answer = run_with_sums_in(stored, corpus::Accumulation::bfloat16);
  return {std::move(stored), std::move(answer)};
}

TEST(Diagnose, NamesALowerPrecisionIfNoWrongFormulaMatches) {
  const auto [ordinary, answer] = case_with_errors_of_bfloat16();
  const auto found = diagnose(ordinary, answer, check_case(ordinary, answer, {}));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, Diagnosis::Kind::bound);
  EXPECT_THAT(found[0].sentence(), StartsWith("no farther off than sums in bfloat16 may be"));
}

TEST(Diagnose, NamesALowerPrecisionForTheRequestedOutputs) {
  auto [ordinary, answer] = case_with_errors_of_bfloat16();
  std::erase_if(answer, [](const StoredTensor& tensor) { return tensor.name != "y"; });
  const auto found = diagnose(ordinary, answer, check_case(ordinary, answer, {.outputs = {"y"}}));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence(), StartsWith("no farther off than sums in bfloat16 may be"));
}

/// Returns the diagnoses for a plain implementation with this mutation. The implementation adds the
/// terms of each sum from the last to the first.
std::vector<std::string> diagnose_mutation(const Case& c, const Mutation& mutation) {
  const StoredCase stored = certified(c);
  Sites sites(mutation);
  const auto answer = run_plain(c, recipes::inputs_of(c), {.sum = Style::Sum::backwards}, sites);
  const CaseResult result = check_case(stored, answer, {});
  EXPECT_FALSE(result.passed()) << mutation.site;
  std::vector<std::string> names;
  for (const Diagnosis& found : diagnose(stored, answer, result)) names.push_back(found.what);
  return names;
}

TEST(Diagnose, NamesABlockThatTheCandidateIgnores) {
  const Case c = plain_recipe("layer_norm", {2, 1300}, DType::float32).make(1);
  EXPECT_THAT(diagnose_mutation(c, {"every sum", MutationOperator::first_1024}),
              Contains("every sum: only the first 1024"));
  EXPECT_THAT(diagnose_mutation(c, {"sum of squares", MutationOperator::first_256}),
              Contains("sum of squares: only the first 256"));
}

TEST(Diagnose, NamesMistakesInLargeCasesByTheirFailingRows) {
  for (const char* const op : {"l2_norm", "layer_norm"})
    EXPECT_THAT(diagnose_mutation(plain_recipe(op, {8, 4096}, DType::float32).make(1),
                                  {"every sum", MutationOperator::first_1024}),
                Contains("every sum: only the first 1024"))
        << op;
  EXPECT_THAT(diagnose_mutation(plain_recipe("softmax", {64, 512}, DType::float32).make(1),
                                {"elements of a row", MutationOperator::first_128}),
              Contains("row: only its first 128 elements are read"));
}

TEST(Diagnose, LocatesAnUnknownMistakeInTheWholeOfALargeCase) {
  const StoredCase stored = certified(plain_recipe("rms_norm", {16, 512}, DType::float32).make(1));
  auto answer = reference_output(stored);
  std::vector<double> values = find_tensor_values(answer, "y");
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += std::sin(static_cast<double>(i));
  for (StoredTensor& tensor : answer)
    if (tensor.name == "y") tensor = make_stored_tensor("y", DType::float64, tensor.shape, values);
  const auto found = diagnose(stored, answer, check_case(stored, answer, {}));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence(),
              StartsWith("no known mistake among those tried on so large a case; wrong: y in"));
}

TEST(Diagnose, NamesFloat32ConstantsInFloat64) {
  const Case case_with_variance_near_eps =
      plain_recipe("rms_norm", {5, 8})
          .x([](std::size_t, double normal) { return 0x1p-8 * normal; })
          .make(1);
  EXPECT_THAT(
      diagnose_mutation(case_with_variance_near_eps, {"eps", MutationOperator::single_precision}),
      Contains("eps: rounded to float32"));
  for (const char* function : {"gelu", "gelu_tanh"})
    EXPECT_THAT(diagnose_mutation(plain_recipe(function, {5, 8}).make(1),
                                  {"every constant", MutationOperator::single_precision}),
                Contains("every constant: rounded to float32"));
}

TEST(Diagnose, NamesAClippedSoftmaxAndAMaximumThatSkipsNaN) {
  const auto row = [](double last) {
    return plain_recipe("softmax", {3, 4})
        .x([=](std::size_t i, double normal) { return i % 4 == 3 ? last : normal; })
        .make(1);
  };
  EXPECT_THAT(diagnose_mutation(row(-50), {"differences", MutationOperator::clip}),
              Contains("differences: raised to a minimum"));
  EXPECT_THAT(diagnose_mutation(row(-20), {"exponentials", MutationOperator::clip}),
              Contains("exponentials: raised to a minimum"));
  const Case nan = plain_recipe("softmax", {2, 4}, DType::float32)
                       .x([](std::size_t i, double normal) { return i < 4 ? NAN : normal; })
                       .make(1);
  EXPECT_THAT(diagnose_mutation(nan, {"largest element", MutationOperator::ignore_nan}),
              Contains("largest element: NaN skipped"));
}

TEST(Diagnose, NamesAResetStepCounter) {
  for (const Case& c : recipes::optimizer_cases(Tier::quick, "adam", 1)) {
    if (c.reason != "random") continue;
    EXPECT_THAT(diagnose_mutation(c, {"step counter", MutationOperator::reset}),
                Contains("step counter: reset at each step"));
  }
}

/// Returns the diagnoses for a one-pass variance, summed in an unusual order. The mean of each row
/// is `offset` standard deviations from 0.
std::vector<Diagnosis> diagnose_one_pass(double offset) {
  const Case c = plain_recipe("layer_norm", {5, 16}, DType::float32)
                     .x([=](std::size_t, double normal) { return offset + normal; })
                     .make(1);
  const StoredCase stored = certified(c);
  Sites sites;
  const auto answer =
      run_plain(c, recipes::inputs_of(c),
                {.sum = Style::Sum::pairwise, .reciprocal = true, .one_pass = true}, sites);
  return diagnose(stored, answer, check_case(stored, answer, {}));
}

/// Returns the diagnoses of the output y for a case that has no grad_y.
std::vector<Diagnosis> diagnose_without_gradients(const std::string& op,
                                                  std::vector<StoredTensor> inputs,
                                                  const std::vector<double>& y) {
  const StoredCase stored = certify::certify_user_case(
      certify::make_user_case({.name = "forward", .op = op, .inputs = inputs}), false);
  const std::vector<StoredTensor> answer = {
      make_stored_tensor("y", DType::float32, find(stored.expected, "y")->shape, y)};
  return diagnose(stored, answer, check_case(stored, answer, {.outputs = {"y"}}));
}

TEST(Diagnose, DiagnosesAFunctionWithoutGradients) {
  const StoredTensor x = make_stored_tensor("x", DType::float32, {2, 2}, {1, -2, 3, 0.5});
  const StoredTensor cos = make_stored_tensor("cos", DType::float32, {2, 1}, {0.5, 1});
  const StoredTensor sin = make_stored_tensor("sin", DType::float32, {2, 1}, {0.25, 0});
  EXPECT_THAT(diagnose_without_gradients("relu", {x}, {-1, 2, -3, -0.5}), SizeIs(1));
  for (const char* op : {"silu", "softmax", "log_softmax"})
    EXPECT_THAT(diagnose_without_gradients(op, {x}, {9, 9, 9, 9}), Not(IsEmpty())) << op;
  EXPECT_THAT(diagnose_without_gradients("log_sum_exp", {x}, {9, 9}), Not(IsEmpty()));
  const auto turned_back = diagnose_without_gradients("rope", {x, cos, sin}, {0, -1.25, 3, 0.5});
  ASSERT_THAT(turned_back, Not(IsEmpty()));
  EXPECT_EQ(turned_back[0].kind, Diagnosis::Kind::mistake) << turned_back[0].sentence();
}

TEST(Diagnose, NamesOnePassVarianceAsAClassOfImplementations) {
  const auto found = diagnose_one_pass(100);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence(),
              MatchesRegex("no farther off than a one-pass variance E.x.2. - E.x..2 may be "
                           "\\(the largest error is .* % of that\\): grad_gamma, grad_x, rstd, y"));
  const auto lost = diagnose_one_pass(1e4);
  ASSERT_THAT(lost, SizeIs(2));
  EXPECT_EQ(lost[0].sentence(), "every element is NaN: grad_gamma");
  EXPECT_EQ(lost[1].sentence(),
            "a one-pass variance E[x^2] - E[x]^2 may lose every digit of some elements here: "
            "grad_gamma, grad_x, rstd, y");
}

}  // namespace
}  // namespace normproof::verification::golden::gate
