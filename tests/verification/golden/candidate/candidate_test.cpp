#include "verification/golden/candidate/candidate.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::golden::candidate {
namespace {

TEST(CandidateOutput, HoldsTensorsOrAReasonForDeclining) {
  const std::vector<double> one = {1};
  const CandidateOutput output = std::vector{ref::io::make_tensor("y", {1}, std::span(one))};
  EXPECT_FALSE(output.is_declined());
  EXPECT_EQ(output.tensors().at(0).name, "y");
  const CandidateOutput declined = CandidateOutput::declined("no int64");
  EXPECT_TRUE(declined.is_declined());
  EXPECT_EQ(declined.reason(), "no int64");
  EXPECT_THROW(declined.tensors(), ref::numeric::ContractError);
}

TEST(CandidateOutput, OutputWithoutTensorsIsNotADeclinedCase) {
  EXPECT_FALSE(CandidateOutput(std::vector<StoredTensor>()).is_declined());
}

TEST(MaxOutputBytes, GrowWithTheElementsOfTheCase) {
  const std::vector<double> two = {1, 2};
  StoredCase stored;
  const std::size_t overhead = max_output_bytes(stored);
  stored.expected = {ref::io::make_tensor("y", {2}, std::span(two))};
  EXPECT_EQ(max_output_bytes(stored), overhead + 128);
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
