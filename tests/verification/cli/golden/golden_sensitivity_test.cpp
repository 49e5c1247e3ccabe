#include "verification/cli/golden/golden_sensitivity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::verification::cli::golden {
namespace {

using verification::golden::reports::OutputSensitivity;

TEST(GoldenSensitivity, MergesOutputsOfModelsByTheLastPartOfTheirNames) {
  const OutputSensitivity first{.operation = "encoder_layer",
                                .output = "grad_norm1.gamma",
                                .smallest_found_error = 1e-6,
                                .found_by = "a",
                                .cases = 2,
                                .elements = 4,
                                .accept_zeros = 1};
  OutputSensitivity second = first, zeros = first, y = first;
  second.output = "grad_norm2.gamma";
  second.smallest_found_error = 1e-5;
  second.found_by = "b";
  zeros.output = "grad_norm3.gamma";
  zeros.smallest_found_error = std::numeric_limits<double>::infinity();
  y.output = "y";
  const std::vector<OutputSensitivity> merged = merge_outputs_of_models({first, second, zeros, y});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].output, "grad_*.gamma");
  EXPECT_EQ(merged[0].smallest_found_error, 1e-5);
  EXPECT_EQ(merged[0].found_by, "b");
  EXPECT_EQ(merged[0].cases, 2u);
  EXPECT_EQ(merged[0].elements, 12u);
  EXPECT_EQ(merged[0].accept_zeros, 3u);
  EXPECT_EQ(merged[1].output, "y");
}

}  // namespace
}  // namespace normproof::verification::cli::golden

namespace normproof::tests::verification::cli::golden {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::string kSourceOfDocument = NORMPROOF_SOURCE_DIR;
const std::string kCorpusOption =
    " --golden '" + std::string(NORMPROOF_SOURCE_DIR) + "/verification/golden/data'";

TEST(GoldenSensitivity, DocumentEqualsTheOutputOfTheProgram) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string markdown = (folder / "sensitivity.md").string();
  const Outcome outcome =
      run("$N golden sensitivity" + kCorpusOption + " --markdown '" + markdown + "'");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  const std::string document =
      normproof::ref::io::read_text(kSourceOfDocument + "/docs/generated/sensitivity.md");
  EXPECT_EQ(normproof::ref::io::read_text(markdown), document)
      << "normproof golden sensitivity --golden verification/golden/data --markdown "
         "docs/generated/sensitivity.md";
  EXPECT_TRUE(document.ends_with(outcome.out));
  EXPECT_THAT(outcome.out,
              EndsWith(" outputs, 0 of which accept zeros in place of all elements\n"));
}

TEST(GoldenSensitivity, WritesTheCaseThatFindsTheSmallestError) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string file = (folder / "sensitivity.json").string();
  const Outcome outcome = run("$N golden sensitivity" + kCorpusOption +
                              " --only 'quick/softmax/*float32' --json '" + file + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto written = nlohmann::json::parse(normproof::ref::io::read_text(file));
  ASSERT_EQ(written.at("outputs").size(), 2u);
  const auto& y = written.at("outputs").at(1);
  EXPECT_EQ(y.at("operation"), "softmax");
  EXPECT_EQ(y.at("dtype"), "float32");
  EXPECT_EQ(y.at("output"), "y");
  EXPECT_THAT(y.at("found_by").get<std::string>(), HasSubstr("quick/softmax/"));
  EXPECT_GT(y.at("smallest_found_error"), 0x1p-24);
  EXPECT_LT(y.at("smallest_found_error"), 0x1p-18);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
