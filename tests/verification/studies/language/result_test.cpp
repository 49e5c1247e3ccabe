#include "verification/studies/language/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::studies::language {
namespace {

using ::testing::HasSubstr;

CellResult result_with_every_field() {
  CellResult result;
  result.name = "language/pre/none/rate-1e-2/seed-1/test";
  result.sha256 = std::string(64, 'a');
  result.data_sha256 = std::string(64, 'b');
  result.steps = 7;
  result.training_loss = {3.1, std::nullopt, 0.1};
  result.validation_loss = {2.5, 1.0 / 3};
  result.test_loss = 0.7;
  result.max_weighted_gamma = 1.25;
  result.fluctuation = {{"layers.0.norm1", "variance", 0.5, {0.25, std::nullopt}},
                        {"final_norm", "mean", std::nullopt, {}}};
  return result;
}

TEST(LanguageStudyResult, ReadsBackFromItsLine) {
  CellResult result = result_with_every_field();
  EXPECT_EQ(parse_result(result_line(result), "f"), result);
  EXPECT_EQ(result.last_validation_loss(), 1.0 / 3);
  result.diverged = {8, "step 8: it \"diverged\""};
  result.test_loss.reset();
  result.max_weighted_gamma.reset();
  EXPECT_EQ(parse_result(result_line(result), "f"), result);
  EXPECT_EQ(result_line(result).find('\n'), std::string::npos);
  EXPECT_EQ(result.last_validation_loss(), std::nullopt);
  EXPECT_EQ(CellResult().last_validation_loss(), std::nullopt);
}

TEST(LanguageStudyResult, OnlyTranslatorsHaveBleu) {
  CellResult result = result_with_every_field();
  EXPECT_EQ(result_line(result).find("bleu"), std::string::npos);
  result.validation_bleu = {0.0, 12.5};
  result.test_bleu = 13.25;
  EXPECT_EQ(parse_result(result_line(result), "f"), result);
  EXPECT_THAT(result_line(result), HasSubstr("\"validation_bleu\":[0.0,12.5],\"test_loss\":0.7,"
                                             "\"test_bleu\":13.25,"));
  EXPECT_EQ(result.last_validation_bleu(), 12.5);
  result.diverged = {8, "step 8: it diverged"};
  EXPECT_EQ(result.last_validation_bleu(), std::nullopt);
}

TEST(LanguageStudyResult, ErrorsNameInvalidFields) {
  const std::string line = result_line(result_with_every_field());
  const auto refused = [&](const std::string& of, const std::string& by) {
    std::string altered = line;
    altered.replace(altered.find(of), of.size(), by);
    return ref::numeric::error_message<ref::numeric::FileError>(
        [&] { parse_result(altered, "file: line 3"); });
  };
  EXPECT_THAT(refused("\"steps\"", "\"step\""), HasSubstr("file: line 3: steps is absent"));
  EXPECT_THAT(refused("3.1", "\"x\""), HasSubstr("training_loss is a string"));
  EXPECT_THAT(refused("0.7", "true"), HasSubstr("test_loss is a boolean"));
  EXPECT_THAT(refused("\"statistic\":\"mean\"", "\"of\":\"mean\""),
              HasSubstr("fluctuation[1].statistic is absent"));
  EXPECT_THAT(refused("[{\"site\"", "[4,{\"site\""), HasSubstr("fluctuation[0] is no object"));
}

}  // namespace
}  // namespace normproof::verification::studies::language
