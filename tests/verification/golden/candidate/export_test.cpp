#include "verification/golden/candidate/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ref/io/atomic_file.hpp"
#include "ref/io/onnx_tensor.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/candidate/pipe_text.hpp"
#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::candidate {

using certify::CaseDescription;
using certify::list_corpus;
using certify::make_corpus;
using certify::read_case;
namespace {

using ref::numeric::UsageError;
using tests::ref::io::TemporaryFolder;

class CorpusExport : public ::testing::Test {
 protected:
  CorpusExport() { make_corpus(folder_ / "golden", {.only = "*/scale_norm/random*"}); }

  StoredCase read_exported_case(const std::string& only) {
    return read_case(folder_ / "golden", list_corpus(folder_ / "golden", only).at(0));
  }

  TemporaryFolder folder_;
};

TEST_F(CorpusExport, NpzHoldsTheSameTensorsExceptBfloat16) {
  const auto summary = export_corpus(folder_ / "golden", "*", ExportFormat::npz, folder_ / "npz");
  EXPECT_EQ(summary.cases, 3u);
  EXPECT_EQ(summary.left_out, 1u);
  const StoredCase c = read_exported_case("*-float16");
  const auto place = folder_ / "npz" / c.description.path;
  EXPECT_EQ(ref::io::read_tensors(place / "inputs.npz"), c.description.c.inputs);
  EXPECT_EQ(ref::io::read_tensors(place / "expected.npz"), c.expected);
}

TEST_F(CorpusExport, NpzIsRejectedIfEveryCaseIsBfloat16) {
  EXPECT_THROW(export_corpus(folder_ / "golden", "*bfloat16", ExportFormat::npz, folder_ / "npz"),
               UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "npz"));
}

TEST_F(CorpusExport, OnnxFilesOrderInputsLikeTheOperators) {
  export_corpus(folder_ / "golden", "*", ExportFormat::onnx, folder_ / "onnx");
  const StoredCase c = read_exported_case("*bfloat16");
  const auto place = folder_ / "onnx" / c.description.path / "test_data_set_0";
  const auto expect = [&](const char* file, const std::vector<StoredTensor>& tensors,
                          const char* name) {
    EXPECT_EQ(ref::io::read_file(place / file), ref::io::encode_onnx_tensor(*find(tensors, name)));
  };
  expect("input_0.pb", c.description.c.inputs, "x");
  expect("input_1.pb", c.description.c.inputs, "gamma");
  expect("input_2.pb", c.description.c.inputs, "grad_y");
  expect("output_0.pb", c.expected, "y");
  EXPECT_FALSE(std::filesystem::exists(place / "input_3.pb"));
}

TEST_F(CorpusExport, TextEqualsTheLinesOfThePipeProtocol) {
  const auto summary = export_corpus(folder_ / "golden", "*", ExportFormat::text, folder_ / "text");
  EXPECT_EQ(summary.cases, 4u);
  std::istringstream inputs(ref::io::read_text(folder_ / "text" / "inputs.txt"));
  std::istringstream answers(ref::io::read_text(folder_ / "text" / "expected.txt"));
  std::string line;
  for (const CaseDescription& description : list_corpus(folder_ / "golden", "*")) {
    const StoredCase c = read_case(folder_ / "golden", description);
    ASSERT_TRUE(std::getline(inputs, line));
    EXPECT_EQ(line, case_to_line(c.description.c));
    ASSERT_TRUE(std::getline(answers, line));
    EXPECT_EQ(find_tensor_values(parse_output_line(line, description.path), "grad_x"),
              find_tensor_values(c.expected, "grad_x"));
  }
  EXPECT_FALSE(std::getline(inputs, line));
}

TEST_F(CorpusExport, LeavesAnExistingFolderUnchanged) {
  export_corpus(folder_ / "golden", "*", ExportFormat::text, folder_ / "text");
  EXPECT_THROW(export_corpus(folder_ / "golden", "*", ExportFormat::npz, folder_ / "text"),
               UsageError);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "text" / "inputs.txt"));
  EXPECT_THROW(export_corpus(folder_ / "golden", "nothing", ExportFormat::npz, folder_ / "npz"),
               UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "npz"));
}

TEST(ExportFormats, RejectUnknownNamesAndSuggestTheNearest) {
  EXPECT_EQ(parse_export_format("onnx"), ExportFormat::onnx);
  EXPECT_EQ(ref::numeric::error_message<UsageError>([] { parse_export_format("npy"); }),
            "unknown format 'npy'; did you mean 'npz'? known: npz, onnx, text");
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
