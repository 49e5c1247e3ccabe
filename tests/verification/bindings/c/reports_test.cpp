#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "ref/io/tensor_file.hpp"
#include "tests/verification/bindings/c/opened.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/checks/evaluation/operation_tables.hpp"

// The reports of a handle must equal those of the program.
namespace normproof::tests::verification::bindings::c {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kGlob = "quick/layer_norm/o*-float*";

class CAbiReports : public CAbi {
 protected:
  std::string report_text(const char* form, bool passed) {
    const char* text = nullptr;
    std::int32_t success = 77;
    EXPECT_EQ(normproof_report(corpus_, form, &text, &success), NORMPROOF_OK) << error();
    EXPECT_EQ(success, passed ? 1 : 0);
    return text == nullptr ? "" : text;
  }

  /// Writes the outputs of every case into a folder and judges them. In every second case, one
  /// element is wrong.
  void submit_outputs_of_every_case(const fs::path& answers) {
    for (std::size_t i = 0; i < normproof_case_count(corpus_); ++i) {
      select(i);
      auto tensors = golden::reference_output(read_committed_case(case_.path));
      if (i % 2 == 1) tensors = golden::replace_element(tensors, "y", 3, 77);
      fs::create_directories(answers / case_.path);
      normproof::ref::io::write_tensors(answers / case_.path / "expected.npz", tensors);
      judge(tensors);
    }
  }
};

TEST_F(CAbiReports, EqualTheReportsOfTheProgramByteForByte) {
  const tests::ref::io::TemporaryFolder folder;
  const fs::path golden = kGolden, answers = folder / "answers";
  ASSERT_EQ(open(kGlob), NORMPROOF_OK) << error();
  const std::string repro = "normproof golden check --golden " + golden.string() + " --candidate " +
                            answers.string() + " --only {path}";
  ASSERT_EQ(normproof_set(corpus_, "repro", repro.c_str()), NORMPROOF_OK);
  ASSERT_EQ(normproof_set(corpus_, "xfail", "*odd-13x17-float64  # known\n"), NORMPROOF_OK);
  submit_outputs_of_every_case(answers);
  cli::write_file(folder / "known", "*odd-13x17-float64  # known\n");
  std::string options;
  const std::map<std::string, std::string> forms = {{"json", "json"},
                                                    {"junit", "junit"},
                                                    {"sarif", "sarif"},
                                                    {"html", "html"},
                                                    {"markdown", "markdown"}};
  for (const auto& [form, option] : forms)
    options += " --" + option + " '" + (folder / form).string() + "'";
  const cli::Outcome outcome = cli::run(
      "$N golden check --golden '" + golden.string() + "' --candidate '" + answers.string() +
      "' --only '" + kGlob + "' --xfail '" + (folder / "known").string() + "'" + options);
  ASSERT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(report_text("text", false), outcome.out);
  for (const auto& [form, option] : forms)
    EXPECT_EQ(report_text(form.c_str(), false), cli::read_file(folder / form)) << form;
  EXPECT_THAT(
      report_text("junit", false),
      HasSubstr(std::string("<property name=\"corpus\" value=\"") + normproof_version_of(corpus_)));
}

TEST_F(CAbiReports, VerdictJsonIsOneLinePerCase) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  const char* text = nullptr;
  EXPECT_EQ(normproof_verdict_json(corpus_, &text), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("no case is judged"));
  select(0);
  judge(
      golden::replace_element(golden::reference_output(read_committed_case(kRandom)), "y", 7, 77));
  ASSERT_EQ(normproof_verdict_json(corpus_, &text), NORMPROOF_OK) << error();
  EXPECT_EQ(std::string(text) + "\n", report_text("json", false));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["outcome"], "failed");
  EXPECT_EQ(json["path"], kRandom);
  EXPECT_EQ(json["corpus"], normproof_corpus_version());
  EXPECT_FALSE(json.contains("repro"));
}

TEST_F(CAbiReports, ErrorToBoundRatiosShowWhichElementIsWrong) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  std::size_t count = 0;
  const double* shares = nullptr;
  const auto ask = [&](const char* output) {
    return normproof_shares(corpus_, output, &count, &shares);
  };
  EXPECT_EQ(ask("y"), NORMPROOF_USAGE);
  select(0);
  EXPECT_EQ(ask("y"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("is not judged"));
  const auto wrong =
      golden::replace_element(golden::reference_output(read_committed_case(kRandom)), "y", 7, 77);
  const double ratio = judge(wrong).ratio;
  ASSERT_EQ(ask("y"), NORMPROOF_OK) << error();
  ASSERT_EQ(count, 90u);
  for (std::size_t i = 0; i < count; ++i)
    if (i == 7)
      EXPECT_DOUBLE_EQ(shares[i], ratio);  // shares are rounded twice, ratio once
    else
      EXPECT_LE(shares[i], 1);
  EXPECT_EQ(ask("grad_z"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("unknown output 'grad_z'; did you mean 'grad_x'"));
  auto without = wrong;
  std::erase_if(without, [](const auto& tensor) { return tensor.name == "y"; });
  judge(without);
  ASSERT_EQ(ask("y"), NORMPROOF_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(shares, nullptr);
  select(0);
  EXPECT_EQ(ask("y"), NORMPROOF_USAGE);
}

TEST_F(CAbiReports, CallerMayDeclineOrFailACase) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  EXPECT_EQ(normproof_decline(corpus_, "no"), NORMPROOF_USAGE);
  select(0);
  EXPECT_EQ(normproof_decline(corpus_, nullptr), NORMPROOF_USAGE);
  ASSERT_EQ(normproof_decline(corpus_, "no mask"), NORMPROOF_OK);
  EXPECT_STREQ(judge({}).text, "declined: no mask");
  EXPECT_THAT(report_text("text", false), HasSubstr("1 declined"));
  const char* line = nullptr;
  ASSERT_EQ(normproof_verdict_json(corpus_, &line), NORMPROOF_OK);
  EXPECT_EQ(nlohmann::json::parse(line)["outcome"], "declined");  // a single object
  ASSERT_EQ(normproof_set(corpus_, "min_cases", "0"), NORMPROOF_OK);
  EXPECT_THAT(report_text("junit", true), HasSubstr("<skipped"));
  ASSERT_EQ(normproof_fail(corpus_, "it raised ValueError: no"), NORMPROOF_OK);
  const normproof_verdict verdict = judge({});
  EXPECT_STREQ(verdict.text, "it raised ValueError: no");
  EXPECT_EQ(verdict.passed, 0);
  EXPECT_TRUE(std::isinf(verdict.ratio));
  EXPECT_THAT(report_text("json", false),
              AllOf(HasSubstr("\"outcome\":\"failed\""), HasSubstr("it raised ValueError: no")));
  // Declining or failing a case affects one verdict only.
  EXPECT_EQ(judge(golden::reference_output(read_committed_case(kRandom))).passed, 1);
  report_text("json", true);
}

TEST_F(CAbiReports, MinCasesXfailAndStrictDecideWhetherAReportPasses) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  const char* text = nullptr;
  std::int32_t passed = 0;
  EXPECT_EQ(normproof_report(corpus_, "json", &text, &passed), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("no case is judged"));
  select(0);
  judge(golden::reference_output(read_committed_case(kRandom)));
  EXPECT_EQ(normproof_report(corpus_, "xml", &text, &passed), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_report(corpus_, nullptr, &text, &passed), NORMPROOF_USAGE);
  EXPECT_THAT(report_text("text", true), HasSubstr("PASSED: 1 of 1 case passed"));
  ASSERT_EQ(normproof_set(corpus_, "min_cases", "2"), NORMPROOF_OK);
  EXPECT_THAT(report_text("text", false), HasSubstr("expected 2 cases or more"));
  ASSERT_EQ(normproof_set(corpus_, "min_cases", ""), NORMPROOF_OK);
  ASSERT_EQ(normproof_set(corpus_, "xfail", "quick/*"), NORMPROOF_OK);
  EXPECT_THAT(report_text("text", false), HasSubstr("PASSED, though it is listed as failing"));
  ASSERT_EQ(normproof_set(corpus_, "strict", "1"), NORMPROOF_OK);
  EXPECT_EQ(normproof_set(corpus_, "strict", "yes"), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_set(corpus_, "flush_subnormals", "0"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("flush_subnormals is '0'; expected '1' or ''"));
  EXPECT_EQ(normproof_set(corpus_, "skip_diagnosis", "1"), NORMPROOF_OK);
  EXPECT_EQ(normproof_set(corpus_, "skip_diagnosis", "no"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("skip_diagnosis is 'no'; expected '1' or ''"));
  EXPECT_EQ(normproof_set(corpus_, "loss_dtype", "wide"), NORMPROOF_OK);
  EXPECT_EQ(normproof_set(corpus_, "loss_dtype", "logits"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("has no loss; expected wide"));
  EXPECT_EQ(normproof_set(corpus_, "loss_dtype", "bfloat16"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("unknown loss dtype 'bfloat16'"));
  EXPECT_EQ(normproof_set(corpus_, "scale_rounding", "floor"), NORMPROOF_OK);
  EXPECT_EQ(normproof_set(corpus_, "scale_rounding", "up"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("scale_rounding is up, and no case of"));
  EXPECT_EQ(normproof_set(corpus_, "scale_rounding", "down"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("unknown scale rounding 'down'"));
  EXPECT_EQ(normproof_set(corpus_, "min_cases", "-1"), NORMPROOF_USAGE);
}

TEST_F(CAbiReports, LayerListEqualsTheOutputOfTheProgram) {
  ASSERT_EQ(normproof_new(&corpus_), NORMPROOF_OK);
  const char* text = nullptr;
  ASSERT_EQ(normproof_layers(corpus_, &text), NORMPROOF_OK);
  EXPECT_EQ(text, normproof::verification::checks::evaluation::operations_json());
  EXPECT_EQ(normproof_layers(corpus_, nullptr), NORMPROOF_USAGE);
}

TEST(Versions, ProgramAndLibraryReportTheSameVersions) {
  EXPECT_EQ(
      cli::run("$N --version").out,
      fmt::format("normproof {}\nC ABI {}.{}\ncorpus {}\n", normproof_version(),
                  normproof_abi_version(), normproof_abi_minor(), normproof_corpus_version()));
}

}  // namespace
}  // namespace normproof::tests::verification::bindings::c
