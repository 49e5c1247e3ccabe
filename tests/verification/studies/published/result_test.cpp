#include "verification/studies/published/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::studies::published {
namespace {

using ::testing::HasSubstr;

CellResult sample_result() {
  CellResult result;
  result.name = "corrected/1x32/none/rate-10/seed-42";
  result.sha256 = std::string(64, 'a');
  result.data_sha256 = std::string(64, 'b');
  result.initial_gradients = {{"embedding.weight", 0.1}, {"head.bias", 1e-300}};
  result.steps = {{1.0 / 3, 0.5, 2, 0.25, std::nullopt},
                  {0x1.fffffffffffffp1023, 0, 5e-324, {}, 1}};
  result.epochs = {{2, 0.7, 0.625, 0.25}};
  result.dynamics = {{"layers.0.norm1", {{"nu", {std::nullopt, 0.3}}}, {{"mean", 0.125}}}};
  result.diverged = {3, "step 3: x has the element [0] = inf; expected finite values"};
  return result;
}

std::string result_line_error_message(const nlohmann::json& line) {
  return ref::numeric::error_message<ref::numeric::FileError>(
      [&] { parse_result(line.dump(), "results.jsonl: line 4"); });
}

TEST(StudyResultLine, ReadsBackBitForBit) {
  CellResult result = sample_result();
  const std::string line = result_line(result);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(parse_result(line, "file"), result);
  EXPECT_EQ(result_line(parse_result(line, "file")), line);
  result = CellResult();
  result.sha256 = result.data_sha256 = std::string(64, '0');
  EXPECT_EQ(parse_result(result_line(result), "file"), result);
}

TEST(StudyResultLine, ErrorsNameInvalidFields) {
  const auto line = nlohmann::json::parse(result_line(sample_result()));
  auto wrong = line;
  wrong.erase("sha256");
  EXPECT_THAT(result_line_error_message(wrong),
              HasSubstr("results.jsonl: line 4: sha256 is absent"));
  wrong = line;
  wrong["steps"]["loss"].push_back(nullptr);
  EXPECT_THAT(result_line_error_message(wrong), HasSubstr("steps.loss holds null"));
  wrong = line;
  wrong["steps"]["accuracy"].push_back(1);
  EXPECT_THAT(result_line_error_message(wrong),
              HasSubstr("steps.accuracy has 3 numbers; expected 2"));
  wrong = line;
  wrong["steps"]["smoothness"][0] = "1";
  EXPECT_THAT(result_line_error_message(wrong), HasSubstr("steps.smoothness holds a string"));
  wrong = line;
  wrong["initial_gradients"][0] = 1;
  EXPECT_THAT(result_line_error_message(wrong), HasSubstr("pairs of a name and a number"));
  wrong = line;
  wrong["dynamics"][0]["series"][0] = 1;
  EXPECT_THAT(result_line_error_message(wrong), HasSubstr("dynamics[0].series"));
  wrong = line;
  wrong["dynamics"][0] = 1;
  EXPECT_THAT(result_line_error_message(wrong), HasSubstr("dynamics[0] is no object"));
  EXPECT_THAT(result_line_error_message(1), HasSubstr("is no JSON object"));
}

// The committed results contain these bytes.
TEST(DivergenceSentence, NamesTheClauseExceptForNormsAndLogits) {
  using ref::numeric::Clause;
  const auto of = [](const ref::numeric::ContractViolation& violation) {
    return divergence_sentence(3, ref::numeric::NotFiniteError(violation));
  };
  EXPECT_EQ(of({"softmax", "x", "is inf", "finite values", Clause::C2, "attention in sentence 0"}),
            "step 3: attention in sentence 0: softmax: x is inf; expected finite values (C2)");
  EXPECT_EQ(of({"cross_entropy", "logits", "make the loss inf", "nearer ones", Clause::C6}),
            "step 3: cross_entropy: logits make the loss inf; expected nearer ones (C6)");
  for (const char* function : {"cross_entropy", "none", "power_norm", "batch_norm_backward"}) {
    EXPECT_EQ(of({function, "x", "is inf", "finite values", Clause::C8}),
              std::string("step 3: ") + function + ": x is inf; expected finite values");
  }
}

}  // namespace
}  // namespace normproof::verification::studies::published
