#include "verification/golden/gate/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check_cases.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::gate {

using mutations::MutationOperator;
using mutations::Sites;
using plain::run_plain;
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TensorResult& find_tensor_result(const CaseResult& result, std::string_view name) {
  const auto found = std::ranges::find(result.tensors, name, &TensorResult::name);
  if (found == result.tensors.end()) throw std::out_of_range(std::string(name));
  return *found;
}

std::vector<StoredTensor> without(std::vector<StoredTensor> tensors, std::string_view name) {
  std::erase_if(tensors, [&](const StoredTensor& tensor) { return tensor.name == name; });
  return tensors;
}

/// Removes the tensor that has the same name as `by`, and appends `by`. Returns the tensors.
std::vector<StoredTensor> replace_tensor(std::vector<StoredTensor> tensors,
                                         const StoredTensor& by) {
  tensors = without(std::move(tensors), by.name);
  tensors.push_back(by);
  return tensors;
}

const StoredCase& batch_norm() {
  static const StoredCase stored =
      certified(plain_recipe("batch_norm", {4, 3}, DType::float32).make(1));
  return stored;
}

const std::vector<StoredCase>& quick_cases() {
  static const std::vector<StoredCase> cases = [] {
    std::vector<StoredCase> made;
    for (const Case& c : recipes::corpus(Tier::quick)) made.push_back(certified(c));
    return made;
  }();
  return cases;
}

TEST(CheckCase, ReferencePassesEveryQuickCase) {
  std::size_t judged = 0, elements = 0;
  for (const StoredCase& stored : quick_cases()) {
    const Case& c = stored.description.c;
    const CaseResult result = check_case(stored, reference_output(stored), {});
    EXPECT_EQ(result.problem, "") << case_folder(c);
    for (const TensorResult& t : result.tensors) {
      EXPECT_TRUE(t.passed()) << case_folder(c) << " " << t.name << t.where << " " << t.ratio;
      EXPECT_LE(t.ratio, 1) << case_folder(c) << " " << t.name;
      judged += t.count;
      elements += t.count + t.unjudged;
    }
  }
  EXPECT_EQ(judged, elements);
}

TEST(CheckCase, FindsAWrongSignInEveryOutputOfEveryLayer) {
  for (const Case& c : recipes::corpus(Tier::quick)) {
    if (c.reason != "random" || c.dtype != DType::float32) continue;
    const StoredCase stored = certified(c);
    const std::vector<StoredTensor> answer = reference_output(stored);
    for (const StoredTensor& tensor : answer) {
      std::vector<double> values = ref::io::widen(tensor);
      const auto last = values.size() - 1;
      if (values[last] == 0) continue;
      const CaseResult result =
          check_case(stored, replace_element(answer, tensor.name, last, -values[last]), {});
      EXPECT_FALSE(result.passed()) << case_folder(c) << " " << tensor.name;
      for (const TensorResult& t : result.tensors)
        EXPECT_EQ(t.failed.size(), t.name == tensor.name ? 1u : 0u)
            << case_folder(c) << " " << t.name;
      EXPECT_EQ(find_tensor_result(result, tensor.name).got, -values[last]);
    }
  }
}

TEST(CheckCase, AcceptsErrorsUpToTheBoundAndNoFarther) {
  // A float64 output can be arbitrarily close to the float32 bound, on either side.
  const StoredCase& stored = batch_norm();
  const tolerance::Tolerance bounds =
      tolerance::derive_tolerance(stored.description.c, Accumulation::float32);
  for (const char* name : {"y", "grad_x", "grad_gamma", "running_variance"}) {
    const std::vector<double> high = find_tensor_values(stored.expected, name),
                              low = find_tensor_values(stored.expected, std::string(name) + "_lo");
    const auto& shape = find(stored.expected, name)->shape;
    for (std::size_t i = 0; i < high.size(); ++i) {
      const double bound = tolerance::with_storage_rounding(bounds.bound.at(name).data()[i],
                                                            high[i], low[i], DType::float64);
      for (const double share : {-1.01, -0.99, 0.99, 1.01}) {
        std::vector<double> values = high;
        values[i] += low[i] + share * bound;
        const CaseResult result =
            check_case(stored,
                       replace_tensor(reference_output(stored),
                                      make_stored_tensor(name, DType::float64, shape, values)),
                       {});
        EXPECT_EQ(result.passed(), std::fabs(share) < 1) << name << " " << i << " " << share;
        EXPECT_GE(find_tensor_result(result, name).ratio, 0.989);
      }
    }
  }
}

TEST(CheckCase, ComputesTheMetricsOfOneWrongElement) {
  const StoredCase stored = certified(layer_norm_case_of_one_and_three("3"));
  const CaseResult result =
      check_case(stored, replace_element(reference_output(stored), "y", 1, 0.75), {});
  EXPECT_FALSE(result.passed());
  const TensorResult& y = find_tensor_result(result, "y");
  EXPECT_EQ(y.count, 2u);
  EXPECT_EQ(y.failed.size(), 1u);
  EXPECT_EQ(y.unjudged, 0u);
  EXPECT_EQ(y.max_absolute, 0.25);
  EXPECT_EQ(y.max_relative, 0.5);
  EXPECT_EQ(y.max_ulp, 0x1p51);
  EXPECT_EQ(y.norm_wise, 0.5);
  EXPECT_EQ(y.where, "[0, 1]");
  EXPECT_EQ(y.got, 0.75);
  EXPECT_EQ(y.exact, 0.5);
  EXPECT_GT(y.bound, 0);
  // The ratio is a quotient, rounded up.
  EXPECT_GE(y.ratio * y.bound * (1 + 0x1p-52), 0.25);
  EXPECT_LE(y.ratio * y.bound, 0.25 * (1 + 0x1p-50));
  EXPECT_GT(y.input_sensitivity, 0);
  EXPECT_LT(y.input_sensitivity, 1);
}

// If eps is small compared with the variance, grad_x of a row of two elements nearly cancels.
TEST(CheckCase, ExcludesElementsWithoutMeaningfulDigitsFromUlpMetrics) {
  const StoredCase stored = certified(layer_norm_case_of_one_and_three("1e-12"));
  EXPECT_EQ(find_tensor_result(check_case(stored, reference_output(stored), {}), "y")
                .elements_with_digits,
            2u);
  const tolerance::Tolerance bounds = tolerance::derive_tolerance(
      stored.description.c, corpus::usual_accumulation(stored.description.c.dtype));
  const std::vector<double> exact = find_tensor_values(stored.expected, "grad_x");
  std::vector<double> values = exact;
  std::size_t cancels = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double bound = bounds.bound.at("grad_x").data()[i];
    if (bound <= 0x1p-26 * std::fabs(exact[i])) continue;
    values[i] += 0.5 * bound;
    ++cancels;
  }
  ASSERT_GT(cancels, 0u);
  const auto& shape = find(stored.expected, "grad_x")->shape;
  const CaseResult result =
      check_case(stored,
                 replace_tensor(reference_output(stored),
                                make_stored_tensor("grad_x", DType::float64, shape, values)),
                 {});
  EXPECT_TRUE(result.passed());
  const TensorResult& grad_x = find_tensor_result(result, "grad_x");
  EXPECT_GT(grad_x.max_absolute, 0);
  EXPECT_EQ(grad_x.elements_with_digits, exact.size() - cancels);
  EXPECT_EQ(grad_x.max_ulp, 0);
  EXPECT_EQ(grad_x.max_relative, 0);
  EXPECT_EQ(grad_x.norm_wise, 0);
}

TEST(CheckCase, ReturnsAnErrorMapOfAFailedOutputOnRequest) {
  const StoredCase& stored = batch_norm();
  const double y = certify::exact_values(stored, "y").high[4];
  const auto wrong = replace_element(reference_output(stored), "y", 4, y + 1);
  EXPECT_TRUE(find_tensor_result(check_case(stored, wrong, {}), "y").map.error_ratios.empty());
  const CaseResult result = check_case(stored, wrong, {.maps = true});
  const TensorResult& failed = find_tensor_result(result, "y");
  ASSERT_EQ(failed.map.error_ratios.size(), 12u);
  EXPECT_DOUBLE_EQ(failed.map.error_ratios[4], failed.ratio);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(failed.map.error_ratios[i] > 1, i == 4) << i;
  EXPECT_TRUE(find_tensor_result(result, "grad_x").map.error_ratios.empty());
  const auto nan =
      check_case(stored, replace_element(reference_output(stored), "y", 4, NAN), {.maps = true});
  EXPECT_EQ(find_tensor_result(nan, "y").map.error_ratios[4], INFINITY);
}

TEST(CheckCase, AllowsOnlyErrorsOfSquareRootsInAnExactCase) {
  Case c = layer_norm_case_of_one_and_three("3", DType::float32);
  c.exact = true;
  const StoredCase stored = certified(c);
  const auto failures = [&](const char* name, double value) {
    return find_tensor_result(
               check_case(stored, replace_element(reference_output(stored), name, 0, value), {}),
               name)
        .failed.size();
  };
  EXPECT_TRUE(check_case(stored, reference_output(stored), {}).passed());
  EXPECT_EQ(failures("mean", 2 + 0x1p-22), 1u);
  EXPECT_EQ(failures("rstd", 0.5 + 0x1p-23), 0u);  // 2 units
  EXPECT_EQ(failures("y", -0.5 - 0x1p-23), 0u);
  EXPECT_EQ(failures("y", -0.5 - 0x1p-18), 1u);
  EXPECT_EQ(failures("rstd", 0.5 + 0x1p-18), 1u);
}

TEST(CheckCase, AcceptsNaNAndInfinityOnlyIfNaNIsExpected) {
  const StoredCase& stored = batch_norm();
  for (const double bad : {kGoldenNaN, kGoldenInfinity, -kGoldenInfinity}) {
    const CaseResult result =
        check_case(stored, replace_element(reference_output(stored), "y", 4, bad), {});
    const TensorResult& y = find_tensor_result(result, "y");
    EXPECT_EQ(y.failed.size(), 1u);
    EXPECT_EQ(y.ratio, kGoldenInfinity);
    EXPECT_EQ(y.max_absolute, kGoldenInfinity);
    EXPECT_EQ(y.where, "[1, 1]");
  }
  const StoredCase fill_first_sample_with_nan =
      certified(plain_recipe("layer_norm", {2, 3}, DType::float32)
                    .x([](std::size_t i, double normal) { return i == 4 ? kGoldenNaN : normal; })
                    .make(1));
  EXPECT_TRUE(
      check_case(fill_first_sample_with_nan, reference_output(fill_first_sample_with_nan), {})
          .passed());
  // Depending on the order of operations, infinity and NaN are interchangeable.
  EXPECT_TRUE(check_case(fill_first_sample_with_nan,
                         replace_element(reference_output(fill_first_sample_with_nan), "y", 5,
                                         -kGoldenInfinity),
                         {})
                  .passed());
  for (const double bad : {0.0, 0x1p100}) {
    const CaseResult result =
        check_case(fill_first_sample_with_nan,
                   replace_element(reference_output(fill_first_sample_with_nan), "y", 5, bad), {});
    const TensorResult& y = find_tensor_result(result, "y");
    EXPECT_EQ(y.failed.size(), 1u) << bad;
    EXPECT_EQ(y.ratio, kGoldenInfinity);
    EXPECT_EQ(y.where, "[1, 2]");
    EXPECT_EQ(y.got, bad);
    EXPECT_TRUE(std::isnan(y.exact));
  }
}

TEST(CheckCase, RequiresGradientsAndStateButNotStatistics) {
  const StoredCase& stored = batch_norm();
  const auto answer = reference_output(stored);
  for (const char* name : {"y", "grad_x", "grad_gamma", "grad_beta", "running_mean"}) {
    const CaseResult result = check_case(stored, without(answer, name), {});
    EXPECT_FALSE(result.passed()) << name;
    EXPECT_EQ(find_tensor_result(result, name).problem, "is absent");
  }
  for (const char* name : {"mean", "rstd", "biased_variance"}) {
    EXPECT_TRUE(check_case(stored, without(answer, name), {}).passed()) << name;
    // An optional output is compared if it is present.
    EXPECT_FALSE(check_case(stored, replace_element(answer, name, 0, 99), {}).passed()) << name;
    EXPECT_FALSE(check_case(stored, without(answer, name), {.outputs = {name}}).passed()) << name;
  }
}

TEST(CheckCase, ChecksOnlyTheRequestedOutputs) {
  const StoredCase& stored = batch_norm();
  const auto wrong = replace_element(reference_output(stored), "grad_x", 0, 99);
  const CaseResult y = check_case(stored, wrong, {.outputs = {"y", "mean"}});
  EXPECT_TRUE(y.passed());
  EXPECT_EQ(y.tensors.size(), 2u);
  EXPECT_FALSE(check_case(stored, wrong, {.outputs = {"grad_x"}}).passed());
  const CaseResult none = check_case(stored, wrong, {.outputs = {"nu"}});
  EXPECT_FALSE(none.passed());
  EXPECT_THAT(none.problem, HasSubstr("none of the outputs nu is there; expected one of "));
}

TEST(CheckCase, RejectsWrongShapesDtypesAndNames) {
  const StoredCase& stored = batch_norm();
  const auto answer = reference_output(stored);
  const std::vector<double> y = find_tensor_values(answer, "y");
  const auto problem = [&](const StoredTensor& by) {
    const CaseResult result = check_case(stored, replace_tensor(answer, by), {});
    EXPECT_FALSE(result.passed());
    return find_tensor_result(result, by.name).problem;
  };
  EXPECT_EQ(problem(make_stored_tensor("y", DType::float32, {12}, y)),
            "has shape [12]; expected [4, 3]");
  EXPECT_EQ(problem(make_stored_tensor("y", DType::float16, {4, 3}, std::vector<double>(12, 0.5))),
            "has dtype float16; expected float32 or a wider one");
  EXPECT_EQ(problem(make_stored_tensor("y", DType::int64, {4, 3}, std::vector<double>(12, 1))),
            "has dtype int64; expected float32 or a wider one");
  EXPECT_TRUE(check_case(stored,
                         replace_tensor(answer, make_stored_tensor("y", DType::float64, {4, 3}, y)),
                         {})
                  .passed());
  auto extra = answer;
  extra.push_back(make_stored_tensor("grad_gama", DType::float32, {1}, {0}));
  EXPECT_THAT(check_case(stored, extra, {}).problem,
              HasSubstr("unknown tensor 'grad_gama'; did you mean 'grad_gamma'?"));
  // The expected tensors of the corpus, including the remainders, are a valid output.
  EXPECT_TRUE(check_case(stored, stored.expected, {}).passed());
}

TEST(CheckCase, RequiresExactCounts) {
  const StoredCase stored = certified(plain_recipe("power_norm", {4, 3}, DType::float32).make(1));
  const auto answer = reference_output(stored);
  EXPECT_TRUE(check_case(stored, answer, {}).passed());
  EXPECT_THAT(find_tensor_values(answer, "iterations"), ElementsAre(3.0));
  EXPECT_FALSE(check_case(stored, replace_element(answer, "iterations", 0, 2), {}).passed());
}

TEST(CheckCase, CoarserAccumulationWidensTheBound) {
  const StoredCase& stored = batch_norm();
  const double y = find_tensor_values(stored.expected, "y")[0];
  const auto off =
      replace_element(reference_output(stored), "y", 0, round_to_dtype(DType::float32, y + 0.01));
  EXPECT_FALSE(check_case(stored, off, {}).passed());
  const CaseResult wide = check_case(stored, off, {.accumulation = Accumulation::bfloat16});
  EXPECT_TRUE(wide.passed());
  const CaseResult narrow =
      check_case(stored, reference_output(stored), {.accumulation = Accumulation::float64});
  EXPECT_TRUE(narrow.passed());
  EXPECT_LT(find_tensor_result(narrow, "y").bound, find_tensor_result(wide, "y").bound);
}

TEST(CheckCase, DoesNotJudgeElementsThatMayOverflow) {
  const StoredCase stored =
      certified(plain_recipe("layer_norm", {2, 4}, DType::float32)
                    .x([](std::size_t, double normal) { return 1e30 * normal; })
                    .make(1));
  const CaseResult result = check_case(stored, reference_output(stored), {});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(find_tensor_result(result, "y").unjudged, 8u);
  EXPECT_EQ(find_tensor_result(result, "y").count, 0u);
  EXPECT_EQ(find_tensor_result(result, "grad_beta").unjudged, 0u);
}

TEST(CheckCase, AcceptsOnePassVarianceOnlyIfItIsDeclared) {
  const Case c = plain_recipe("layer_norm", {5, 16}, DType::float32)
                     .x([](std::size_t, double normal) { return 100 + normal; })
                     .make(1);
  const StoredCase stored = certified(c);
  Sites sites;
  const auto answer = run_plain(c, recipes::inputs_of(c), {.one_pass = true}, sites);
  EXPECT_FALSE(check_case(stored, answer, {}).passed());
  const CaseResult allowed = check_case(stored, answer, {.formula = tolerance::Formula::one_pass});
  EXPECT_TRUE(allowed.passed());
  EXPECT_EQ(allowed.tensors[0].unjudged, 0u);
  Sites wrong({"eps", MutationOperator::no_root});
  EXPECT_FALSE(check_case(stored, run_plain(c, recipes::inputs_of(c), {}, wrong),
                          {.formula = tolerance::Formula::one_pass})
                   .passed());
}

TEST(CheckCase, AcceptsTheFoldedFormOnlyIfItIsDeclared) {
  // Running statistics are inputs, with `x r - m r` for running mean m and rstd r. The difference x
  // - m is rounded once, `x r - m r` twice.
  const Case c = plain_recipe("batch_norm", {5, 4}, DType::float32)
                     .x([](std::size_t, double normal) { return 1e4 + normal; })
                     .state("running_mean", [](std::size_t, double) { return 1e4; })
                     .inference()
                     .make(1);
  const StoredCase stored = certified(c);
  Sites sites;
  const auto answer = run_plain(c, recipes::inputs_of(c), {.folded = true}, sites);
  const CaseResult refused = check_and_diagnose(stored, answer, {});
  EXPECT_FALSE(refused.passed());
  ASSERT_EQ(refused.diagnosis.size(), 1u);
  EXPECT_EQ(refused.diagnosis[0].sentence(),
            "no farther off than the folded form x r - m r for (x - m) r may be (the largest error "
            "is 74 % of that): y");
  for (const tolerance::Formula formula :
       {tolerance::Formula::folded, tolerance::Formula::one_pass})
    EXPECT_TRUE(check_case(stored, answer, {.formula = formula}).passed());
}

TEST(CheckCase, AllowsErrorsInAnExactCaseForCoarserArithmetic) {
  const Case c = plain_recipe("rms_norm", {2, 4})
                     .x([](std::size_t, double) { return 2.0; })
                     .grad_y([](std::size_t, double) { return 1.0; })
                     .no_affine()
                     .option("eps", "0")
                     .exact()
                     .make(1);
  const StoredCase stored = certified(c);
  auto answer = reference_output(stored);
  answer = replace_element(answer, "y", 0, find_tensor_values(answer, "y")[0] * (1 + 0x1p-9));
  EXPECT_FALSE(check_case(stored, answer, {}).passed());
  EXPECT_FALSE(check_case(stored, answer, {.accumulation = Accumulation::float64}).passed());
  EXPECT_TRUE(check_case(stored, answer, {.accumulation = Accumulation::bfloat16}).passed());
}

/// Returns the answer of the reference with zeros in place of every float.
std::vector<StoredTensor> answer_with_zeros(const StoredCase& stored) {
  std::vector<StoredTensor> answer = reference_output(stored);
  for (StoredTensor& tensor : answer)
    if (ref::io::is_float(tensor.dtype))
      tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape,
                                    std::vector<double>(ref::io::widen(tensor).size(), 0.0));
  return answer;
}

// The second row is so far from 0 that zeros in place of its y are within the bound.
StoredCase far_row(Tier tier) {
  Case c = plain_recipe("layer_norm", {2, 256}, DType::float32)
               .x([](std::size_t i, double normal) { return i < 256 ? normal : 1e7 + normal; })
               .make(1);
  c.tier = tier;
  return certified(c);
}

TEST(CheckCase, VerifiesNothingInARowWhoseBoundAcceptsZeros) {
  const StoredCase stored = far_row(Tier::user);
  const CaseResult right = check_case(stored, reference_output(stored), {});
  EXPECT_TRUE(right.passed());
  EXPECT_EQ(find_tensor_result(right, "y").count, 256u);
  EXPECT_EQ(find_tensor_result(right, "y").vacuous, 256u);
  // Numbers beyond the bound still fail.
  std::vector<StoredTensor> answer = reference_output(stored);
  std::vector<double> y = ref::io::widen(*find(answer, "y"));
  y[300] = 1e6;
  answer = replace_tensor(answer, ref::io::make_tensor("y", DType::float32, {2, 256}, y));
  const CaseResult wrong = check_case(stored, answer, {});
  EXPECT_THAT(find_tensor_result(wrong, "y").failed, ElementsAre(300u));
  EXPECT_EQ(find_tensor_result(wrong, "y").vacuous, 255u);
}

// The error of the mean of such numbers is larger than their standard deviation. Whatever the
// computed mean is, no variance is so small that y is 1000.
TEST(CheckCase, RejectsLargeConstantsInNormsOfRowsFarFromZero) {
  for (const char* operation :
       {"layer_norm", "group_norm", "batch_norm", "instance_norm", "add_layer_norm"}) {
    Case c = plain_recipe(operation, {8, 64}, DType::float32)
                 .x([](std::size_t, double normal) { return 1e6 + normal; })
                 .make(1);
    c.tier = Tier::user;
    const StoredCase stored = certified(c);
    const auto check_constant = [&](double constant) {
      std::vector<StoredTensor> answer = reference_output(stored);
      answer = replace_tensor(answer, ref::io::make_tensor("y", DType::float32, {8, 64},
                                                           std::vector<double>(512, constant)));
      return find_tensor_result(check_case(stored, answer, {}), "y");
    };
    EXPECT_EQ(check_constant(1000).failed.size(), 512u) << operation;
    EXPECT_EQ(check_constant(-1000).failed.size(), 512u) << operation;
    EXPECT_TRUE(check_case(stored, reference_output(stored), {}).passed()) << operation;
  }
}

TEST(CheckCase, ACaseOfACorpusDoesNotAskWhatNoCorrectImplementationCanShow) {
  const StoredCase stored = far_row(Tier::standard);
  const CaseResult result = check_case(stored, reference_output(stored), {});
  EXPECT_EQ(find_tensor_result(result, "y").unasked, 256u);
  EXPECT_EQ(find_tensor_result(result, "y").unverified(), 0u);
  // bfloat16 sums are the choice of the candidate, so the first row counts as not verified.
  const CaseResult coarse =
      check_case(stored, reference_output(stored), {.accumulation = Accumulation::bfloat16});
  EXPECT_GE(find_tensor_result(coarse, "y").unverified(), 256u);
}

TEST(CheckCase, VerifiesNoOutputOfTheQuickTierThatZerosPass) {
  std::size_t outputs = 0;
  for (const StoredCase& stored : quick_cases()) {
    const Case& c = stored.description.c;
    for (const TensorResult& t : check_case(stored, answer_with_zeros(stored), {}).tensors) {
      const StoredTensor& expected = *find(stored.expected, t.name);
      if (!ref::io::is_float(expected.dtype)) continue;
      const std::vector<double> exact = ref::io::widen(expected);
      ++outputs;
      // If zeros pass, at most the elements that are 0 are verified.
      if (t.passed()) {
        EXPECT_LE(static_cast<std::ptrdiff_t>(t.count), std::ranges::count(exact, 0.0))
            << case_folder(c) << " " << t.name;
      }
    }
  }
  EXPECT_GT(outputs, 7000u);
}

TEST(CheckCase, ReturnsTheSmallestRelativeErrorThatItFinds) {
  const StoredCase stored = far_row(Tier::user);
  const double found = find_tensor_result(check_case(stored, reference_output(stored), {}), "y")
                           .smallest_found_error;
  const auto result_of_factor = [&](double factor) {
    std::vector<StoredTensor> answer = reference_output(stored);
    std::vector<double> y = ref::io::widen(*find(answer, "y"));
    for (double& element : y) element = round_to_dtype(DType::float32, element * factor);
    answer = replace_tensor(answer, ref::io::make_tensor("y", DType::float32, {2, 256}, y));
    return check_case(stored, answer, {}).passed();
  };
  EXPECT_GT(found, 0x1p-24);
  EXPECT_LT(found, 0x1p-16);
  EXPECT_FALSE(result_of_factor(1 + 2 * found));
  EXPECT_TRUE(result_of_factor(1 + found / 8));
}

/// Returns the certified outputs as an answer.
std::vector<StoredTensor> certified_answer(const StoredCase& stored) {
  std::vector<StoredTensor> answer;
  for (const StoredTensor& tensor : stored.expected)
    if (!tensor.name.ends_with("_lo")) answer.push_back(tensor);
  return answer;
}

TEST(CheckCase, AStableFormulaIsHeldToTheTailsOfActivations) {
  // An argument at which the published formula may be 0, in float32.
  for (const auto& [operation, tail] : {std::pair{"silu", -90.0},
                                        {"gelu", -8.0},
                                        {"gelu_tanh", -8.0},
                                        {"sigmoid", -90.0},
                                        {"log_sigmoid", 20.0},
                                        {"softplus", -20.0},
                                        {"mish", -20.0}}) {
    const StoredCase stored =
        certified(plain_recipe(operation, {1, 2}, DType::float32)
                      .x([tail = tail](std::size_t i, double) { return i == 0 ? tail : -1.0; })
                      .make(1));
    const CheckOptions stable{.formula = tolerance::Formula::stable};
    const CaseResult usual = check_case(stored, certified_answer(stored), {});
    EXPECT_EQ(find_tensor_result(usual, "y").vacuous, 1u) << operation;
    const CaseResult right = check_case(stored, certified_answer(stored), stable);
    EXPECT_TRUE(right.passed()) << operation;
    EXPECT_EQ(find_tensor_result(right, "y").unverified(), 0u) << operation;
    std::vector<StoredTensor> answer = certified_answer(stored);
    std::vector<double> y = ref::io::widen(*find(answer, "y"));
    y[0] = 0;
    answer = replace_tensor(answer, ref::io::make_tensor("y", DType::float32, {1, 2}, y));
    EXPECT_TRUE(check_case(stored, answer, {}).passed()) << operation;
    EXPECT_FALSE(check_case(stored, answer, stable).passed()) << operation;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::gate
