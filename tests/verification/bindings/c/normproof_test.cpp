#include "verification/bindings/c/normproof.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/bindings/c/opened.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check_cases.hpp"

namespace normproof::tests::verification::bindings::c {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(CAbi, HeaderMatchesTheLibrary) {
  EXPECT_EQ(normproof_abi_version(), NORMPROOF_ABI_VERSION);
  EXPECT_EQ(sizeof(normproof_tensor), 40u);
  EXPECT_EQ(sizeof(normproof_case), 72u);
  EXPECT_EQ(sizeof(normproof_verdict), 24u);
  EXPECT_EQ(sizeof(normproof_expected), 64u);
  EXPECT_GE(normproof_abi_minor(), NORMPROOF_ABI_MINOR);
}

TEST_F(CAbi, SelectedCaseMatchesTheCorpus) {
  ASSERT_EQ(open("*"), NORMPROOF_OK) << error();
  const auto descriptions = golden::certify::list_corpus(kGolden, "*");
  ASSERT_EQ(normproof_case_count(corpus_), descriptions.size());
  for (std::size_t i = 0; i < descriptions.size(); i += 7) {
    const golden::certify::StoredCase stored = golden::certify::read_case(kGolden, descriptions[i]);
    const golden::corpus::Case& c = stored.description.c;
    select(i);
    EXPECT_EQ(case_.path, descriptions[i].path);
    EXPECT_EQ(case_.op, golden::corpus::case_operation_name(c));
    EXPECT_STREQ(case_.mode, c.mode == golden::corpus::Mode::training ? "training" : "inference");
    EXPECT_EQ(case_.why, c.why);
    EXPECT_EQ(case_.dtype, static_cast<std::int32_t>(c.dtype));
    EXPECT_EQ(case_.is_sequence, c.sequence ? 1 : 0);
    const auto json = nlohmann::json::parse(case_.json);
    EXPECT_EQ(json["path"], case_.path);
    EXPECT_EQ(json["options"], nlohmann::json::parse(case_.options));
    for (const auto& [name, value] : json["options"].items())
      EXPECT_EQ(normproof_option(corpus_, name.c_str()), value.get<std::string>());
    ASSERT_EQ(case_.input_count, c.inputs.size());
    for (std::size_t k = 0; k < c.inputs.size(); ++k) {
      const normproof_tensor& input = case_.inputs[k];
      const std::span shape(input.shape, static_cast<std::size_t>(input.rank));
      const auto* const begin = static_cast<const std::byte*>(input.data);
      const golden::corpus::StoredTensor copy{input.name,
                                              static_cast<golden::corpus::DType>(input.dtype),
                                              {shape.begin(), shape.end()},
                                              {begin, begin + input.bytes}};
      EXPECT_EQ(copy, c.inputs[k]);
    }
  }
}

/// Returns the name of the main output of a case: y of a layer, the logits of an encoder, the loss
/// of a loss function, the parameter of an optimizer.
template <class Tensors>
std::string find_main_output(const Tensors& answer) {
  for (const char* name : {"y", "logits", "loss", "parameter"})
    for (const auto& tensor : answer)
      if (tensor.name == name) return name;
  return "none of them";
}

// Submits correct outputs, outputs with one wrong element, and outputs without the main output.
// Each verdict must equal that of check_cases.
TEST_F(CAbi, VerdictEqualsThatOfTheGoldenGate) {
  const auto descriptions = golden::certify::list_corpus(kGolden, "*");
  ASSERT_EQ(open("*"), NORMPROOF_OK) << error();
  for (std::size_t i = 0; i < descriptions.size(); i += 23) {
    const golden::certify::StoredCase stored = golden::certify::read_case(kGolden, descriptions[i]);
    const auto right = golden::reference_output(stored);
    auto without_y = right;
    const std::string y = find_main_output(right);
    std::erase_if(without_y, [&](const auto& tensor) { return tensor.name == y; });
    select(i);
    const auto dtype =
        std::ranges::find_if(right, [&](const auto& t) { return t.name == y; })->dtype;
    const double other = golden::saturate_to_range(dtype, 64);
    for (const auto& tensors : {right, golden::replace_element(right, y, 0, other), without_y}) {
      const auto result = golden::gate::check_cases(
          kGolden, {descriptions[i]}, [&](const auto&) { return tensors; }, {}, 1, {})[0];
      const normproof_verdict verdict = judge(tensors);
      EXPECT_EQ(verdict.passed != 0, result.passed()) << case_.path;
      double ratio = 0;
      for (const golden::gate::TensorResult& t : result.tensors)
        ratio = std::max(ratio, t.problem.empty() ? t.ratio : golden::kGoldenInfinity);
      EXPECT_EQ(verdict.ratio, ratio) << case_.path;
      for (const golden::gate::Diagnosis& diagnosis : result.diagnosis)
        EXPECT_THAT(verdict.text, HasSubstr(diagnosis.sentence()));
    }
    EXPECT_EQ(judge(without_y).text, y + " is absent");
  }
}

TEST_F(CAbi, TotalsCountTheLastVerdictOfEachCase) {
  ASSERT_EQ(open("quick/layer_norm/*float64*"), NORMPROOF_OK);
  std::size_t judged = 9, passed = 9;
  const auto totals = [&] { return normproof_totals(corpus_, &judged, &passed); };
  ASSERT_EQ(totals(), NORMPROOF_OK);
  EXPECT_EQ(std::pair(judged, passed), std::pair(std::size_t{0}, std::size_t{0}));
  const auto descriptions = golden::certify::list_corpus(kGolden, "quick/layer_norm/*float64*");
  for (std::size_t i = 0; i < 2; ++i) {
    select(i);
    EXPECT_EQ(judge({}).passed, 0);
    EXPECT_EQ(judge(golden::reference_output(golden::certify::read_case(kGolden, descriptions[i])))
                  .passed,
              1);
  }
  judge({});
  ASSERT_EQ(totals(), NORMPROOF_OK);
  EXPECT_EQ(std::pair(judged, passed), std::pair(std::size_t{2}, std::size_t{1}));
}

TEST_F(CAbi, NormproofSetChangesTheOptionsOfTheCheck) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  select(0);
  const auto stored =
      golden::certify::read_case(kGolden, golden::certify::list_corpus(kGolden, kRandom)[0]);
  const auto y = std::vector{*golden::corpus::find(golden::reference_output(stored), "y")};
  EXPECT_EQ(judge(y).passed, 0);
  ASSERT_EQ(normproof_set(corpus_, "outputs", "y"), NORMPROOF_OK);
  const double ratio = judge(y).ratio;
  EXPECT_EQ(judge(y).passed, 1);
  EXPECT_THAT(judge(y).text, StartsWith("passed; y at ["));
  ASSERT_EQ(normproof_set(corpus_, "accumulation", "float32"), NORMPROOF_OK);
  EXPECT_LT(judge(y).ratio, ratio / 1000);
  ASSERT_EQ(normproof_set(corpus_, "accumulation", ""), NORMPROOF_OK);
  EXPECT_EQ(judge(y).ratio, ratio);
  ASSERT_EQ(normproof_set(corpus_, "outputs", ""), NORMPROOF_OK);
  EXPECT_EQ(judge(y).passed, 0);
  EXPECT_EQ(normproof_set(corpus_, "outputs", "y,grad_z"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("unknown output 'grad_z'; did you mean 'grad_x'"));
  EXPECT_EQ(normproof_set(corpus_, "accumulation", "float31"), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_set(corpus_, "output", "y"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("unknown option 'output'; did you mean 'outputs'"));
  EXPECT_EQ(normproof_set(corpus_, nullptr, "y"), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_set(corpus_, "outputs", nullptr), NORMPROOF_USAGE);
}

TEST_F(CAbi, FormulaOptionWidensTheBound) {
  constexpr const char* kOffset = "quick/layer_norm/offset_1e4-7x16-float32";
  ASSERT_EQ(open(kOffset), NORMPROOF_OK);
  select(0);
  const auto stored =
      golden::certify::read_case(kGolden, golden::certify::list_corpus(kGolden, kOffset)[0]);
  const auto right = std::vector{*golden::corpus::find(golden::reference_output(stored), "y")};
  const auto y =
      golden::replace_element(right, "y", 3, golden::find_tensor_values(right, "y")[3] + 1);
  ASSERT_EQ(normproof_set(corpus_, "outputs", "y"), NORMPROOF_OK);
  EXPECT_EQ(judge(y).passed, 0);
  ASSERT_EQ(normproof_set(corpus_, "formula", "one_pass"), NORMPROOF_OK);
  EXPECT_EQ(judge(y).passed, 1);
  ASSERT_EQ(normproof_set(corpus_, "formula", ""), NORMPROOF_OK);
  EXPECT_EQ(judge(y).passed, 0);
  EXPECT_EQ(normproof_set(corpus_, "formula", "onepass"), NORMPROOF_USAGE);
}

TEST_F(CAbi, RejectsAFormulaAndACastOrderThatNoOpenCaseHas) {
  ASSERT_EQ(open("quick/softmax/*"), NORMPROOF_OK) << error();
  EXPECT_EQ(normproof_set(corpus_, "formula", "stable"), NORMPROOF_USAGE);
  EXPECT_EQ(error(), "formula is stable, which softmax does not have; expected two_pass or folded");
  EXPECT_EQ(normproof_set(corpus_, "formula", "folded"), NORMPROOF_OK);
  EXPECT_EQ(normproof_set(corpus_, "cast_order", "before_gamma"), NORMPROOF_USAGE);
  EXPECT_EQ(error(), "cast_order is before_gamma, and softmax has no gamma; expected after_gamma");
}

TEST_F(CAbi, FindsOperationsAndDTypesByTheNamesOfLibraries) {
  EXPECT_STREQ(normproof_find_name("operation", "LayerNorm"), "layer_norm");
  EXPECT_STREQ(normproof_find_name("operation", "swish"), "silu");
  EXPECT_STREQ(normproof_find_name("dtype", "bf16"), "bfloat16");
  EXPECT_STREQ(normproof_find_name("dtype", "e5m2"), "float8_e5m2");
  for (const auto& [kind, text] : {std::pair{"operation", "layer_nrom"},
                                   {"dtype", "float"},
                                   {"dtype", "tf32"},
                                   {"formula", "folded"}})
    EXPECT_EQ(normproof_find_name(kind, text), nullptr) << kind << " " << text;
  EXPECT_EQ(normproof_find_name(nullptr, "bf16"), nullptr);
  EXPECT_EQ(normproof_find_name("dtype", nullptr), nullptr);
}

TEST_F(CAbi, OutputWithAWrongShapeNameOrDTypeFailsWithoutBeingRead) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  select(0);
  ASSERT_EQ(normproof_set(corpus_, "outputs", "y"), NORMPROOF_OK);
  const double one = 1;
  const std::array<std::int64_t, 3> large = {3, 5, std::int64_t{1} << 50}, right = {3, 5, 6};
  const auto text = [&](const char* name, int dtype, const auto& shape, const void* data) {
    EXPECT_EQ(normproof_answer(corpus_, name, dtype, 3, shape.data(), data), NORMPROOF_OK)
        << error();
    const normproof_verdict verdict = judge({});
    EXPECT_EQ(verdict.passed, 0);
    EXPECT_EQ(verdict.ratio, golden::kGoldenInfinity);
    return std::string(verdict.text);
  };
  EXPECT_EQ(text("y", NORMPROOF_FLOAT64, large, &one),
            "y has shape [3, 5, 1125899906842624]; expected [3, 5, 6]");
  EXPECT_THAT(text("z", NORMPROOF_FLOAT64, large, &one), HasSubstr("unknown tensor 'z'"));
  const std::vector<float> narrow(90);
  EXPECT_EQ(text("y", NORMPROOF_FLOAT32, right, narrow.data()),
            "y has dtype float32; expected float64");
}

TEST_F(CAbi, MisuseReturnsAnErrorStatusAndASentence) {
  EXPECT_EQ(normproof_open(kGolden.c_str(), "*", nullptr), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_open(nullptr, "*", &corpus_), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("the folder is null"));
  EXPECT_EQ(open("quick/lay_norm/*"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), AllOf(HasSubstr("the glob"), HasSubstr("names no case"),
                             testing::Not(HasSubstr("--only"))));
  EXPECT_EQ(normproof_case_count(corpus_), 0u);
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  EXPECT_EQ(error(), "");

  const std::int64_t extent = 6, negative = -1, huge[] = {INT64_MAX, INT64_MAX};
  const std::vector<double> values(90);
  const auto refused = [&](std::int32_t status, const char* sentence) {
    EXPECT_EQ(status, NORMPROOF_USAGE) << sentence;
    EXPECT_THAT(error(), HasSubstr(sentence));
  };
  normproof_verdict verdict;
  const auto give = [&](const char* name, int dtype, int rank, const std::int64_t* shape,
                        const void* data) {
    return normproof_answer(corpus_, name, dtype, rank, shape, data);
  };
  refused(give("y", 0, 1, &extent, values.data()), "no case is selected");
  refused(normproof_judge(corpus_, &verdict), "no case is selected");
  EXPECT_EQ(normproof_option(corpus_, "eps"), nullptr);
  refused(normproof_select(corpus_, 1, &case_), "index is 1; expected less than 1");
  refused(normproof_select(corpus_, 0, nullptr), "out is null");
  select(0);
  EXPECT_EQ(normproof_option(corpus_, nullptr), nullptr);
  EXPECT_EQ(normproof_option(corpus_, "epz"), nullptr);
  EXPECT_THAT(error(), HasSubstr("did you mean 'eps'"));
  refused(give(nullptr, 0, 1, &extent, values.data()), "the name is null");
  refused(give("y", 13, 1, &extent, values.data()), "y has the dtype 13");
  refused(give("y", -1, 1, &extent, values.data()), "y has the dtype -1");
  refused(give("y", 0, -1, &extent, values.data()), "y has the rank -1; expected 0 to 8");
  refused(give("y", 0, 9, &extent, values.data()), "y has the rank 9; expected 0 to 8");
  refused(give("y", 0, 2'000'000'000, &extent, values.data()), "y has the rank 2000000000");
  refused(give("y", 0, 1, nullptr, values.data()), "y has the rank 1 and no shape");
  refused(give("y", 0, 1, &negative, values.data()), "y has the extent -1");
  refused(give("y", 0, 2, huge, values.data()), "too large a shape");
  refused(give("y", 0, 1, &extent, nullptr), "the data of y is null");
  EXPECT_EQ(give("y", 0, 1, &extent, values.data()), NORMPROOF_OK);
  EXPECT_EQ(error(), "");
  refused(give("y", 0, 1, &extent, values.data()), "y is there already");
  refused(normproof_judge(corpus_, nullptr), "out is null");
  std::size_t count;
  refused(normproof_totals(corpus_, nullptr, &count), "null");
  refused(normproof_totals(corpus_, &count, nullptr), "null");
}

TEST_F(CAbi, EveryFunctionRejectsANullHandle) {
  std::size_t a, b;
  normproof_verdict verdict;
  EXPECT_EQ(normproof_set(nullptr, "outputs", "y"), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_select(nullptr, 0, &case_), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_answer(nullptr, "y", 0, 0, nullptr, nullptr), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_judge(nullptr, &verdict), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_totals(nullptr, &a, &b), NORMPROOF_USAGE);
  EXPECT_EQ(normproof_option(nullptr, "eps"), nullptr);
  EXPECT_EQ(normproof_case_count(nullptr), 0u);
  EXPECT_THAT(normproof_error(nullptr), HasSubstr("the handle is null"));
  normproof_close(nullptr);
}

TEST_F(CAbi, DamagedCorpusIsAFileError) {
  EXPECT_EQ(open("*", "/nonexistent"), NORMPROOF_FILE);
  EXPECT_THAT(error(), HasSubstr("/nonexistent/manifest.json"));
  const ref::io::TemporaryFolder folder;
  const fs::path copy = folder / "golden";
  fs::create_directories((copy / kRandom).parent_path());
  fs::copy(kGolden / kRandom, copy / kRandom);
  for (const char* file : {"manifest.json", "SHA256SUMS", "BLESSINGS.jsonl"})
    fs::copy(kGolden / file, copy / file);
  ASSERT_EQ(open(kRandom, copy), NORMPROOF_OK) << error();
  select(0);
  const fs::path inputs = copy / kRandom / "inputs.safetensors";
  fs::resize_file(inputs, fs::file_size(inputs) - 1);
  EXPECT_EQ(normproof_select(corpus_, 0, &case_), NORMPROOF_FILE);
  EXPECT_THAT(error(), AllOf(HasSubstr(inputs.string()), HasSubstr("expected")));
  normproof_verdict verdict;
  EXPECT_EQ(normproof_judge(corpus_, &verdict), NORMPROOF_USAGE);
  std::ofstream(copy / "manifest.json") << "{";
  EXPECT_EQ(open(kRandom, copy), NORMPROOF_FILE);
}

// The gate's arithmetic rejects any other floating-point mode (docs/specification/determinism.md,
// R0), but kernels may set one.
TEST_F(CAbi, FloatingPointModeOfTheCallerIsIgnoredAndRestored) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  const auto stored =
      golden::certify::read_case(kGolden, golden::certify::list_corpus(kGolden, kRandom)[0]);
  const auto tensors = golden::reference_output(stored);
  select(0);
  const double ratio = judge(tensors).ratio;
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
  select(0);
  const normproof_verdict verdict = judge(tensors);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(std::fetestexcept(FE_INEXACT), 0);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(verdict.passed, 1);
  EXPECT_EQ(verdict.ratio, ratio);
}

}  // namespace
}  // namespace normproof::tests::verification::bindings::c
