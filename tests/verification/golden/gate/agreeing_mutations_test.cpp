#include "verification/golden/gate/agreeing_mutations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/verification/golden/attention_case.hpp"
#include "tests/verification/golden/gate/wrong_kernel.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/mutations/joint_sites.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::gate {
namespace {

using mutations::Mutation;
using mutations::MutationOperator;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kMuchWork = 1'000'000'000;

MutationSearch search(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                      std::uint64_t limit = kMuchWork) {
  return find_agreeing_mutations(stored, failing_outputs_of(stored, answer), limit);
}

// Most mutations are compared in one row first, which must not reject the one that was made.
TEST(AgreeingMutations, IncludeEveryMutationWhoseOutputsFail) {
  for (const char* const op : {"layer_norm", "rms_norm", "group_norm", "softmax", "gelu", "l2_norm",
                               "scale_norm", "dyt", "add_layer_norm"}) {
    const Case c = plain_recipe(op, {4, 2, 8}, DType::float32).make(1);
    const StoredCase stored = certified(c);
    mutations::Sites all;
    all.list();
    plain::run_plain(c, recipes::inputs_of(c), {}, all);
    std::size_t failed = 0, named = 0;
    for (const Mutation& mutation : all.seen()) {
      const auto answer = run_mutation(c, mutation);
      const auto failing = failing_outputs_of(stored, answer);
      if (failing.empty()) continue;
      const bool is_finite = std::ranges::any_of(failing, [](const FailingOutput& f) {
        return std::ranges::any_of(f.got, [](double v) { return std::isfinite(v); });
      });
      if (!is_finite) continue;  // outputs of NaN alone tell mutations not apart
      ++failed;
      const auto found = search(stored, answer).found;
      // An error at several sites gets the name of one of them if that explains as much.
      const mutations::JointSite* const joint = mutations::joint_site(mutation.site);
      const bool is_named = std::ranges::any_of(found, [&](const AgreeingMutation& each) {
        const bool is_part = joint != nullptr && joint->has(each.mutation.site);
        return each.mutation == mutation || each.diagnosis.ulps == 0 ||
               (is_part && each.mutation.op == mutation.op);
      });
      named += is_named ? 1 : 0;
      EXPECT_TRUE(is_named) << op << ": " << mutation.site << ": " << to_string(mutation.op);
    }
    EXPECT_GT(named, 10u) << op;
    EXPECT_EQ(named, failed) << op;
  }
}

Case eight_bit_case(const char* op, const char* regime, DType dtype) {
  for (const Case& c : recipes::scaled_cases(corpus::Tier::quick, op, recipes::kCorpusSeed))
    if (c.reason == regime && c.dtype == dtype) return c;
  return {};
}

TEST(AgreeingMutations, IncludeMutationsOf8BitOutputs) {
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2})
    for (const char* const regime : {"mxfp8_random", "float8_random"}) {
      const Case c = eight_bit_case("rms_norm", regime, dtype);
      const StoredCase stored = certified(c);
      for (const Mutation& mutation :
           {Mutation{"eps", MutationOperator::ten_times}, Mutation{"gamma", MutationOperator::drop},
            Mutation{"rounding of y", MutationOperator::truncate}}) {
        const auto answer = run_mutation(c, mutation);
        if (failing_outputs_of(stored, answer).empty()) continue;
        const auto found = search(stored, answer).found;
        EXPECT_TRUE(std::ranges::any_of(
            found, [&](const AgreeingMutation& each) { return each.mutation == mutation; }))
            << case_folder(c) << ' ' << mutation.site << ' ' << to_string(mutation.op);
      }
    }
}

// The bound of an element of 8 bits includes a rounding to few digits, within which many mistakes
// differ by less than some bounds.
TEST(AgreeingMutations, NameNo8BitOutputThatIsMerelyNear) {
  for (const char* const op : {"layer_norm", "rms_norm"})
    for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
      const Case c = eight_bit_case(op, "mxfp8_random", dtype);
      Case other = c;
      ref::model::set_option(other.options, "eps", "0.5");
      const auto found = search(certified(c), run_mutation(other, {})).found;
      for (const AgreeingMutation& each : found)
        ADD_FAILURE() << op << ": " << each.mutation.site << ": " << to_string(each.mutation.op)
                      << ": " << each.diagnosis.outputs.front();
    }
}

/// Returns a case of layer_norm with its certified outputs.
StoredCase norm_of_seed(std::uint64_t seed) {
  return certified(plain_recipe("layer_norm", {4, 16}, DType::float32).make(seed));
}

/// Returns the outputs of a case, each element a little off in its own way.
std::vector<StoredTensor> outputs_with_unknown_mistake(const StoredCase& stored) {
  return change_output(run_mutation(stored.description.c, {}), "y", [](double v, std::size_t i) {
    return static_cast<double>(static_cast<float>(v * (i % 2 == 0 ? 1.01 : 0.993)));
  });
}

TEST(AgreeingMutations, AreNotTriedIfAnEarlierCaseRefutesThem) {
  constexpr std::uint64_t kLittleWork = 100'000;
  RefutedMutations refuted;
  const auto search_case = [&](std::size_t number, std::uint64_t limit) {
    const StoredCase stored = norm_of_seed(number);
    return find_agreeing_mutations(stored,
                                   failing_outputs_of(stored, outputs_with_unknown_mistake(stored)),
                                   limit, {}, {.refuted = &refuted, .case_number = number});
  };
  EXPECT_FALSE(search_case(1, kLittleWork).is_complete);
  EXPECT_TRUE(search_case(1, kMuchWork).is_complete);
  EXPECT_TRUE(search_case(2, kLittleWork).is_complete);
  EXPECT_FALSE(search_case(1, kLittleWork).is_complete) << "a case that is judged again";
}

TEST(AgreeingMutations, AreNotRefutedByCasesThatTheyExplain) {
  RefutedMutations refuted;
  const Mutation mistake{"eps", MutationOperator::outside_root};
  for (std::size_t number = 1; number < 6; ++number) {
    const StoredCase stored = norm_of_seed(number);
    const auto answer = run_mutation(stored.description.c, mistake);
    const auto found =
        find_agreeing_mutations(stored, failing_outputs_of(stored, answer), kMuchWork, {},
                                {.refuted = &refuted, .case_number = number})
            .found;
    EXPECT_FALSE(found.empty()) << number;
    EXPECT_FALSE(refuted.has(mistake, {.forward = true, .backward = true}, number + 1)) << number;
  }
}

/// Returns the name of the mutation that agrees best with the outputs of a kernel with `mutation`.
std::string first_name(const Case& c, const Mutation& mutation) {
  const StoredCase stored = certified(c);
  const auto found = search(stored, run_mutation(c, mutation)).found;
  return found.empty() ? "" : found.front().diagnosis.what;
}

/// The mistakes that a reader of the report must recognize, each with the smallest row that shows
/// it.
TEST(AgreeingMutations, NameMistakesOfKernelsThatWorkByBlocks) {
  const Case norm = plain_recipe("layer_norm", {3, 40}, DType::float32).make(1);
  using enum MutationOperator;
  EXPECT_EQ(first_name(norm, {"terms of the statistics", first_32}),
            "statistics: sums over the first 32 elements of a row, divided by n");
  EXPECT_EQ(first_name(norm, {"terms and n of the statistics", first_32}),
            "statistics: of the first 32 elements of a row");
  EXPECT_EQ(first_name(norm, {"elements of gamma and beta", repeat_32}),
            "elements of gamma and beta: the first 32 elements repeated");
  EXPECT_EQ(first_name(norm, {"elements of gamma and beta", repeat_1}),
            "elements of gamma and beta: the first element used for all");
  EXPECT_EQ(first_name(plain_recipe("layer_norm", {3, 16}, DType::float32).make(1),
                       {"writing y", exchanged_columns_8}),
            "writing y: neighboring tiles of 8 columns exchanged");
  EXPECT_EQ(first_name(norm, {"writing grad_x", exchanged_columns_4}),
            "writing grad_x: neighboring tiles of 4 columns exchanged");
  const Case tall = plain_recipe("layer_norm", {24, 3}, DType::float32).make(1);
  EXPECT_EQ(first_name(tall, {"writing y", exchanged_rows_4}),
            "writing y: neighboring tiles of 4 rows exchanged");
  EXPECT_EQ(first_name(tall, {"rows of grad_gamma and grad_beta", partial_8}),
            "grad_gamma and grad_beta: the last block of 8 rows is lost");
  EXPECT_EQ(first_name(plain_recipe("softmax", {3, 40}, DType::float32).make(1),
                       {"elements of a row", first_32}),
            "row: only its first 32 elements are read");
  EXPECT_EQ(first_name(plain_recipe("layer_norm", {3, 65}, DType::float32)
                           .x([](auto, double normal) { return 1 + normal; })
                           .make(1),
                       {"statistic", padded_power}),
            "statistic: with zeros that pad the row to a power of two");
}

TEST(AgreeingMutations, NameABlockBeforeTheSingleTermThatItLoses) {
  using enum MutationOperator;
  // A row has one element more than a block.
  const Case norm = plain_recipe("rms_norm", {2, 33}, DType::float32).make(1);
  EXPECT_EQ(first_name(norm, {"sum of squares", forget_last}),
            "sum of squares: without the terms after the last whole block of 32");
  EXPECT_EQ(first_name(norm, {"columns of x", first_32}),
            "columns: only the first 32 are read and written");
}

TEST(AgreeingMutations, NameOneRowThatIsReadForAll) {
  using enum MutationOperator;
  for (const std::size_t rows : {2, 5}) {
    const Case c = plain_recipe("rms_norm", {rows, 7}, DType::float32).make(1);
    for (const std::string site : {"reading x", "reading grad_y"})
      EXPECT_EQ(first_name(c, {site, first_row}), site + ": the first row used for all") << rows;
  }
}

TEST(AgreeingMutations, NameAnEpsThatIsNotScaledWithX) {
  const Case c = plain_recipe("rms_norm", {3, 7}, DType::float32)
                     .x([](std::size_t, double normal) { return 0.01 * normal; })
                     .make(1);
  EXPECT_EQ(first_name(c, {"eps of scaled elements", MutationOperator::insert}),
            "eps: not divided by the square of the largest element, as x is by that element");
}

TEST(AgreeingMutations, NameAnExponentialThatOverflows) {
  // An overflow in the slope of gelu_tanh leaves no further trace if the gate overflows.
  for (const auto& [op, site, named] :
       {std::tuple{"silu", "formula of s(x)", "formula of s(x)"},
        {"gelu_tanh", "every exponential", "formula of the gate"}}) {
    const Case c = plain_recipe(op, {2, 4}, DType::float32)
                       .x([](std::size_t i, double normal) { return i == 1 ? 100.0 : normal; })
                       .make(1);
    const StoredCase stored = certified(c);
    const auto answer = run_mutation(c, {site, MutationOperator::overflowing});
    const auto found = search(stored, answer).found;
    ASSERT_THAT(found, Not(IsEmpty())) << op;
    EXPECT_EQ(found.front().diagnosis.what,
              std::string(named) + ": with an exponential that overflows to NaN");
  }
}

TEST(AgreeingMutations, NameSumsThatAPassOverBlocksDoesNotRescale) {
  using enum MutationOperator;
  const std::string site = "sum of exponentials not rescaled when the maximum grows";
  for (const char* op : {"softmax", "log_softmax", "log_sum_exp"}) {
    const Case c = plain_recipe(op, {3, 40}, DType::float32).make(1);
    EXPECT_EQ(first_name(c, {site, block_16}), site + ": in blocks of 16") << op;
    EXPECT_EQ(first_name(c, {site, block_1}), site + ": element by element") << op;
  }
}

TEST(AgreeingMutations, NameMistakesInStatisticsAndTheirGradients) {
  using enum MutationOperator;
  const Case norm = plain_recipe("layer_norm", {5, 40}, DType::float32).make(1);
  for (const auto& [site, op, name] :
       {std::tuple{"statistics in the backward", detached,
                   "statistics: treated as constants in the backward pass"},
        {"partial variances merged without delta^2", block_16,
         "partial variances merged without delta^2: in blocks of 16"},
        {"eps", added_to_inverse, "eps: added to the reciprocal root"},
        {"means in grad_x of several shards", four_times,
         "means in grad_x: summed over 4 shards instead of averaged"},
        {"grad_gamma and grad_beta of several shards", twice,
         "grad_gamma and grad_beta: summed over 2 shards instead of averaged"},
        {"columns of x", first_32, "columns: only the first 32 are read and written"},
        {"writing y", first_32, "writing y: only the first 32 columns"},
        {"elements of gamma", by_row, "elements of gamma: the number of the row used as index"},
        {"elements of gamma and beta", repeat_second,
         "elements of gamma and beta: the second element used for all"}})
    EXPECT_EQ(first_name(norm, {site, op}), name);
  const Case tall = plain_recipe("layer_norm", {61, 3}, DType::float32).make(1);
  EXPECT_EQ(
      first_name(tall, {"consecutive rows of a program in grad_gamma and grad_beta", parts_2}),
      "grad_gamma and grad_beta: the sum of the last of 2 programs is lost");
  EXPECT_EQ(
      first_name(tall, {"alternating rows of a program in grad_gamma and grad_beta", parts_4}),
      "grad_gamma and grad_beta: of 4 programs that take rows in turn, the last sum is lost");
}

TEST(AgreeingMutations, NameNoMaskIfTheCaseHasNone) {
  const Case c = plain_recipe("batch_norm", {5, 6}, DType::float32).make(1);
  const StoredCase stored = certified(c);
  const auto answer = run_mutation(c, {"statistics in the backward", MutationOperator::detached});
  for (const AgreeingMutation& found : search(stored, answer).found)
    EXPECT_EQ(found.diagnosis.what, "statistics: treated as constants in the backward pass");
  EXPECT_THAT(search(stored, answer).found, Not(IsEmpty()));
}

TEST(AgreeingMutations, EndAtTheLimitAndSaySo) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 40}, DType::float32).make(1));
  const auto answer =
      run_mutation(stored.description.c, {"writing y", MutationOperator::transposed});
  EXPECT_TRUE(search(stored, answer).is_complete);
  const MutationSearch cut = search(stored, answer, 5'000);
  EXPECT_FALSE(cut.is_complete);
  EXPECT_THAT(cut.found, IsEmpty());
}

TEST(AgreeingMutations, TheLimitGrowsWithTheElements) {
  CaseResult small, large;
  small.tensors.push_back({.name = "y", .count = 10});
  large.tensors.push_back({.name = "y", .count = 100'000});
  EXPECT_GT(search_work_limit(small), 0u);
  EXPECT_GT(search_work_limit(large), search_work_limit(small));
}

/// Returns the names of the mutations that agree with the outputs.
std::vector<std::string> names_of(const StoredCase& stored,
                                  const std::vector<StoredTensor>& answer) {
  std::vector<std::string> names;
  for (const AgreeingMutation& found : search(stored, answer).found)
    names.push_back(found.diagnosis.what);
  return names;
}

StoredCase norm_case(const std::string& op, std::vector<std::size_t> shape) {
  return certified(
      plain_recipe(op, std::move(shape), DType::float32).option("eps", "1e-5").make(1));
}

TEST(AgreeingMutations, NameABlockThatASumLacks) {
  const StoredCase stored = norm_case("rms_norm", {2, 100});
  for (const auto& [begin, name] :
       {std::pair{0, "sum of squares: without the first block of 32 terms"},
        {32, "sum of squares: without the second block of 32 terms"},
        {64, "sum of squares: without the last whole block of 32 terms"}}) {
    const auto first = static_cast<std::size_t>(begin);
    const auto answer = norm_with_statistics(stored, [&](std::span<const double> row) {
      const double lost = sum_of_squares(row.subspan(first, 32));
      return RowStatistics{0, (sum_of_squares(row) - lost) / static_cast<double>(row.size())};
    });
    EXPECT_THAT(names_of(stored, answer), Contains(name));
  }
}

TEST(AgreeingMutations, NameASumInPlaceOfTheMean) {
  const StoredCase rms = norm_case("rms_norm", {3, 12}), layer = norm_case("layer_norm", {3, 12});
  EXPECT_THAT(names_of(rms, norm_with_statistics(rms,
                                                 [](std::span<const double> row) {
                                                   return RowStatistics{0, sum_of_squares(row)};
                                                 })),
              Contains("mean of squares: a sum instead of a mean"));
  EXPECT_THAT(
      names_of(layer, norm_with_statistics(
                          layer,
                          [](std::span<const double> row) {
                            return RowStatistics{mean_of(row), sum_of_squares(row, mean_of(row))};
                          })),
      Contains("mean of squares: a sum instead of a mean"));
  // The backward pass of the same kernel is the derivative of the wrong formula.
  EXPECT_EQ(first_name(rms.description.c,
                       {"n of the statistic, forward and backward", MutationOperator::drop}),
            "mean of squares, forward and backward: a sum instead of a mean");
}

/// Returns the outputs of a norm that neither reads nor writes the rows after the first 8.
std::vector<StoredTensor> norm_of_eight_rows(const StoredCase& stored) {
  constexpr std::size_t kRows[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto of_rows = run_mutation(certify::select_rows(stored.description.c, kRows), {});
  std::vector<StoredTensor> answer = run_mutation(stored.description.c, {});
  for (const char* const name : {"y", "grad_x", "grad_gamma", "grad_beta"}) {
    const std::vector<double> values = find_tensor_values(of_rows, name);
    answer = change_output(std::move(answer), name, [&](double, std::size_t i) {
      return i < values.size() ? values[i] : 0;
    });
  }
  return answer;
}

TEST(AgreeingMutations, NameRowsThatNoPassReadsOnceAndNotByTheirSums) {
  const StoredCase stored = norm_case("layer_norm", {13, 6});
  const auto answer = norm_of_eight_rows(stored);
  EXPECT_THAT(names_of(stored, answer),
              ElementsAre("rows: the last block of 8 is neither read nor written"));
  const auto y_alone = change_output(run_mutation(stored.description.c, {}), "y",
                                     [](double v, std::size_t i) { return i < 8 * 6 ? v : 0; });
  EXPECT_THAT(names_of(stored, y_alone),
              ElementsAre("writing y: without the last block of 8 rows"));
}

TEST(AgreeingMutations, NameACausalMaskAlignedAtTheFirstKey) {
  // In the gradient by the second key, the sum over the queries lacks only the first one.
  std::vector<double> q, grad_y;
  for (int i = 0; i < 20; ++i) {
    q.push_back(0.25 * (i % 7) - 0.5);
    grad_y.push_back(1 + 0.125 * (i % 5));
  }
  const StoredCase stored = certified(attention_case(q, {0.5, -1}, {1, 3}, grad_y, DType::float32));
  EXPECT_THAT(
      names_of(stored, run_mutation(stored.description.c, {"every causal mask from the first key",
                                                           MutationOperator::insert})),
      ElementsAre("every causal mask: applied although the attention is not causal, "
                  "aligned at the first key"));
}

TEST(AgreeingMutations, NameOptimizersThatDecayTwiceOrHaveEpsInsideTheRoot) {
  using enum MutationOperator;
  for (const Case& c : recipes::optimizer_cases(Tier::quick, "adamw", 1)) {
    if (c.reason != "random") continue;
    EXPECT_EQ(first_name(c, {"weight decay added to the gradient", twice}),
              "weight decay: added to the gradient too, so that it counts twice");
    EXPECT_EQ(first_name(c, {"weight decay added to the gradient", insert}),
              "weight decay: added to the gradient");
    EXPECT_EQ(first_name(c, {"eps", inside_root}), "eps: inside the root");
    EXPECT_EQ(first_name(c, {"eps before the bias correction", inside_root}),
              "eps: inside the root, before the bias correction");
  }
}

// The last element is near the mean of the others. Without it, the variance is almost that of n
// elements divided by n - 1.
TEST(AgreeingMutations, DoNotNameAnotherMistakeOfAboutTheSameSize) {
  constexpr std::size_t kWidth = 1025;
  const Case c = plain_recipe("layer_norm", {1, kWidth}, DType::float32)
                     .x([](std::size_t i, double) {
                       if (i + 1 == kWidth) return 0.06;
                       const std::size_t pair = i / 2;
                       const double magnitude = 1 + static_cast<double>(pair) / 512;
                       return i % 2 == 0 ? magnitude : -magnitude;
                     })
                     .make(1);
  const StoredCase stored = certified(c);
  const auto answer = norm_with_statistics(stored, [](std::span<const double> row) {
    const std::span<const double> read = row.first(kWidth - 1);
    return RowStatistics{mean_of(read), sum_of_squares(read, mean_of(read)) / (kWidth - 1)};
  });
  ASSERT_THAT(failing_outputs_of(stored, answer), Not(IsEmpty()));
  for (const AgreeingMutation& found : search(stored, answer).found)
    ADD_FAILURE() << found.diagnosis.what;
}

// The error is that of an unknown mistake, and only a part of it is the mutation.
TEST(AgreeingMutations, DoNotNameAMistakeThatExplainsOnlyAPartOfTheElements) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 40}, DType::float32).make(1));
  const auto answer = change_output(
      run_mutation(stored.description.c, {"writing y", MutationOperator::unwritten_last}), "y",
      [](double v, std::size_t i) { return i == 17 ? v + 1 : v; });
  EXPECT_THAT(search(stored, answer).found, IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::golden::gate
