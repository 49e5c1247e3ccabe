#include "verification/golden/gate/failing_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/gate/wrong_kernel.hpp"

namespace normproof::verification::golden::gate {
namespace {

using mutations::Mutation;
using mutations::MutationOperator;

constexpr std::size_t kWidth = 6;

StoredCase norm_of_four_rows() {
  return certified(plain_recipe("layer_norm", {4, kWidth}, DType::float32).make(1));
}

/// Returns the right outputs, with y of the mistake in one row.
std::vector<StoredTensor> mistake_in_row(const StoredCase& stored, const Mutation& mistake,
                                         std::size_t row) {
  const Case& c = stored.description.c;
  const std::vector<double> wrong = find_tensor_values(run_mutation(c, mistake), "y");
  return change_output(run_mutation(c, {}), "y",
                       [&](double v, std::size_t i) { return i / kWidth == row ? wrong[i] : v; });
}

/// Compares the failing row of the outputs with a mutation.
FailingRow::Finding compare(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                            const Mutation& mutation) {
  std::uint64_t work = 1'000'000;
  auto row = FailingRow::find_in(stored.description.c, failing_outputs_of(stored, answer));
  if (!row) return {.may_explain = false, .is_refuted = false};
  row->start(work);
  return row->compare(mutation, work);
}

TEST(FailingRow, IsTheRowInWhichMostElementsFailed) {
  const StoredCase stored = norm_of_four_rows();
  for (std::size_t row = 0; row < 4; ++row) {
    const auto answer = mistake_in_row(stored, {"gamma", MutationOperator::drop}, row);
    EXPECT_TRUE(compare(stored, answer, {"gamma", MutationOperator::drop}).may_explain) << row;
    const auto other = compare(stored, answer, {"gamma", MutationOperator::square});
    EXPECT_FALSE(other.may_explain) << row;
    EXPECT_TRUE(other.is_refuted) << row;
  }
}

TEST(FailingRow, SaysNothingAboutAMutationThatMixesRows) {
  const StoredCase stored = norm_of_four_rows();
  const auto answer = mistake_in_row(stored, {"gamma", MutationOperator::drop}, 2);
  EXPECT_TRUE(compare(stored, answer, {"writing y", MutationOperator::reversed}).may_explain);
  EXPECT_TRUE(compare(stored, answer, {"reading x", MutationOperator::first_row}).may_explain);
}

TEST(FailingRow, DoesNotRefuteAMutationThatIsHiddenInIt) {
  // At a variance of 1, an eps of another size changes y by less than rounding errors may.
  const StoredCase stored = norm_of_four_rows();
  const auto answer = mistake_in_row(stored, {"gamma", MutationOperator::drop}, 0);
  const auto found = compare(stored, answer, {"eps", MutationOperator::square});
  EXPECT_FALSE(found.may_explain);
  EXPECT_EQ(found.is_refuted, false);
}

TEST(FailingRow, IsAbsentIfRowsAreNotIndependentOrOnlySumsFailed) {
  const StoredCase batch = certified(plain_recipe("batch_norm", {4, 6}, DType::float32).make(1));
  const auto wrong = run_mutation(batch.description.c, {"gamma", MutationOperator::drop});
  EXPECT_FALSE(FailingRow::find_in(batch.description.c, failing_outputs_of(batch, wrong)));
  const StoredCase stored = norm_of_four_rows();
  const auto sums = change_output(run_mutation(stored.description.c, {}), "grad_gamma",
                                  [](double v, std::size_t) { return static_cast<float>(v + 1); });
  EXPECT_FALSE(FailingRow::find_in(stored.description.c, failing_outputs_of(stored, sums)));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
