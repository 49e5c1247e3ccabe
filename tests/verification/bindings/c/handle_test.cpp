#include "verification/bindings/c/normproof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "tests/verification/bindings/c/opened.hpp"
#include "tests/verification/golden/certify/samples.hpp"

// Tests user-supplied cases, and the description of a case that needs no tensors.
namespace normproof::tests::verification::bindings::c {
namespace {

using testing::HasSubstr;

/// Holds the inputs of a case as the C structs that a caller passes.
class UserInputs {
 public:
  explicit UserInputs(const std::vector<golden::corpus::StoredTensor>& inputs) {
    shapes_.reserve(inputs.size());
    for (const auto& input : inputs) {
      const auto& shape = shapes_.emplace_back(input.shape.begin(), input.shape.end());
      tensors_.push_back({input.name.c_str(), static_cast<std::int32_t>(input.dtype),
                          static_cast<std::int32_t>(shape.size()), shape.data(), input.bytes.data(),
                          input.bytes.size()});
    }
  }
  std::vector<normproof_tensor>& tensors() { return tensors_; }

 private:
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<normproof_tensor> tensors_;
};

class CAbiUserCases : public CAbi {
 protected:
  CAbiUserCases() { EXPECT_EQ(normproof_new(&corpus_), NORMPROOF_OK); }

  std::int32_t certify(std::vector<normproof_tensor>& inputs, const char* name = "mine",
                       const char* op = "layer_norm", const char* options = nullptr,
                       std::int32_t threads = 1) {
    return normproof_certify(corpus_, name, op, "training", options, 0, inputs.size(),
                             inputs.data(), threads, &index_);
  }

  const golden::certify::StoredCase stored_ = read_committed_case(kRandom);
  UserInputs given_{stored_.description.c.inputs};
  std::size_t index_ = 77;
};

TEST_F(CAbiUserCases, AreJudgedLikeCasesOfTheCorpus) {
  const std::string options =
      nlohmann::json::parse(stored_.description.case_text)["options"].dump();
  ASSERT_EQ(certify(given_.tensors(), "mine", "layer_norm", options.c_str()), NORMPROOF_OK)
      << error();
  EXPECT_EQ(index_, 0u);
  EXPECT_EQ(normproof_case_count(corpus_), 1u);
  EXPECT_STREQ(normproof_case_path(corpus_, 0), "own/layer_norm/mine-3x5x6-float64");
  select(0);
  EXPECT_EQ(nlohmann::json::parse(case_.options).dump(), options);
  const auto right = golden::reference_output(stored_);
  EXPECT_EQ(judge(right).passed, 1);
  const double ratio = judge(right).ratio;
  const auto wrong = golden::replace_element(right, "y", 4, 77);
  EXPECT_EQ(judge(wrong).passed, 0);
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  select(0);
  EXPECT_EQ(judge(right).ratio, ratio);
}

TEST_F(CAbiUserCases, AreAddedToAnOpenCorpus) {
  ASSERT_EQ(open(kRandom), NORMPROOF_OK);
  ASSERT_EQ(certify(given_.tensors(), "mine", "layer_norm", nullptr, 0), NORMPROOF_OK) << error();
  EXPECT_EQ(index_, 1u);
  ASSERT_EQ(certify(given_.tensors(), "again", "layer_norm", nullptr, 2), NORMPROOF_OK);
  EXPECT_EQ(certify(given_.tensors()), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("own/layer_norm/mine-3x5x6-float64 is there already"));
  select(2);
  EXPECT_STREQ(case_.path, "own/layer_norm/again-3x5x6-float64");
  select(0);
  EXPECT_STREQ(case_.path, kRandom);
}

TEST_F(CAbiUserCases, InvalidCasesAreRejectedWithASentence) {
  auto& inputs = given_.tensors();
  const auto expect_refused = [&](std::int32_t status, const char* sentence) {
    EXPECT_EQ(status, NORMPROOF_USAGE);
    EXPECT_THAT(error(), HasSubstr(sentence));
    EXPECT_EQ(index_, 77u);
    EXPECT_EQ(normproof_case_count(corpus_), 0u);
  };
  expect_refused(certify(inputs, "Mine"), "expected small letters");
  expect_refused(certify(inputs, "mine", "rms_nrom"), "did you mean 'rms_norm'");
  expect_refused(certify(inputs, "mine", "layer_norm", "{\"epz\":\"1\"}"), "did you mean 'eps'");
  expect_refused(certify(inputs, "mine", "layer_norm", "{"), "no JSON object");
  expect_refused(certify(inputs, nullptr), "is null");
  expect_refused(certify(inputs, "mine", "layer_norm", nullptr, -1), "threads is -1");
  expect_refused(normproof_certify(corpus_, "mine", "layer_norm", "training", nullptr, 0, 1,
                                   nullptr, 1, &index_),
                 "inputs is null");
  const auto with = [&](auto&& change) {
    auto changed = inputs;
    change(changed.back());  // the last one is x
    return certify(changed);
  };
  expect_refused(with([](auto& x) { x.bytes -= 8; }), "x has 712 bytes; expected 720");
  expect_refused(with([](auto& x) { x.name = nullptr; }), "has no name");
  expect_refused(with([](auto& x) { x.name = "z"; }), "unknown tensor 'z'");
  expect_refused(with([](auto& x) { x.dtype = 13; }), "x has the dtype 13");
  expect_refused(with([](auto& x) { x.data = nullptr; }), "the data of x is null");
  expect_refused(with([](auto& x) { x.rank = 9; }), "x has the rank 9");
  EXPECT_EQ(normproof_certify(nullptr, "mine", "layer_norm", "training", nullptr, 0, 0, nullptr, 1,
                              &index_),
            NORMPROOF_USAGE);
}

TEST_F(CAbiUserCases, MayConsistOfSomeRowsWithTheSumsOfAllRows) {
  auto& inputs = given_.tensors();
  const auto certify_rows = [&](const std::vector<std::int64_t>& rows, const char* op) {
    return normproof_certify_rows(corpus_, "mine", op, "training", "{\"eps\":\"1e-05\"}",
                                  inputs.size(), inputs.data(), rows.size(), rows.data(), 1,
                                  &index_);
  };
  ASSERT_EQ(certify_rows({0, 2}, "layer_norm"), NORMPROOF_OK) << error();
  EXPECT_STREQ(normproof_case_path(corpus_, 0), "own/layer_norm/mine-2x5x6-float64");
  select(0);
  std::vector<golden::corpus::StoredTensor> answer;
  for (const golden::corpus::StoredTensor& tensor : golden::reference_output(stored_)) {
    if (tensor.name.ends_with("_lo")) continue;
    answer.push_back(tensor);
    if (tensor.shape[0] != 3) continue;
    const auto row = static_cast<std::ptrdiff_t>(tensor.bytes.size() / 3);
    auto& bytes = answer.back().bytes;
    answer.back().shape[0] = 2;
    bytes.erase(bytes.begin() + row, bytes.begin() + 2 * row);
  }
  EXPECT_EQ(judge(answer).passed, 1);
  EXPECT_EQ(judge(golden::replace_element(answer, "grad_gamma", 4, 77)).passed, 0);
  EXPECT_EQ(judge(golden::replace_element(answer, "y", 40, 77)).passed, 0);
  EXPECT_EQ(certify_rows({0, 2}, "layer_norm"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("is there already"));
  EXPECT_EQ(certify_rows({0, 3}, "layer_norm"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("rows[1] is 3; expected rows below 3"));
  EXPECT_EQ(certify_rows({-1}, "layer_norm"), NORMPROOF_USAGE);
  EXPECT_THAT(error(), HasSubstr("rows[0] is -1; expected 0 or more"));
  EXPECT_EQ(normproof_case_count(corpus_), 1u);
}

TEST_F(CAbiUserCases, AreWatchedBlockByBlock) {
  const std::vector<golden::corpus::StoredTensor> tensors = {golden::make_stored_tensor(
      "x", golden::DType::float32, {64, 1024}, std::vector<double>(65536, 0.5))};
  UserInputs large(tensors);
  auto& inputs = large.tensors();
  std::vector<std::size_t> seen;
  const auto note = [](void* user, const char*, std::size_t done, std::size_t of) {
    EXPECT_EQ(of, 4u);
    static_cast<std::vector<std::size_t>*>(user)->push_back(done);
    return 0;
  };
  const auto stop = [](void*, const char*, std::size_t, std::size_t) { return 1; };
  ASSERT_EQ(normproof_watch(corpus_, stop, nullptr), NORMPROOF_OK);
  EXPECT_EQ(certify(inputs, "mine", "relu"), NORMPROOF_FAILED);
  EXPECT_THAT(error(), HasSubstr("progress stopped it"));
  EXPECT_EQ(normproof_case_count(corpus_), 0u);
  ASSERT_EQ(normproof_watch(corpus_, note, &seen), NORMPROOF_OK);
  ASSERT_EQ(certify(inputs, "mine", "relu"), NORMPROOF_OK) << error();
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  ASSERT_EQ(normproof_watch(corpus_, nullptr, nullptr), NORMPROOF_OK);
  ASSERT_EQ(certify(inputs, "again", "relu"), NORMPROOF_OK) << error();
  EXPECT_EQ(seen.size(), 5u);
}

TEST_F(CAbiUserCases, HandlesOfDifferentThreadsAreIndependent) {
  const auto judged = [&](const std::string& glob) {
    normproof_corpus* own = nullptr;
    EXPECT_EQ(normproof_open(kGolden.c_str(), glob.c_str(), &own), NORMPROOF_OK);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < normproof_case_count(own); ++i) {
      normproof_case question;
      EXPECT_EQ(normproof_select(own, i, &question), NORMPROOF_OK);
      for (const auto& tensor : golden::reference_output(read_committed_case(question.path))) {
        const std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
        EXPECT_EQ(
            normproof_answer(own, tensor.name.c_str(), static_cast<int>(tensor.dtype),
                             static_cast<int>(shape.size()), shape.data(), tensor.bytes.data()),
            NORMPROOF_OK);
      }
      normproof_verdict verdict;
      EXPECT_EQ(normproof_judge(own, &verdict), NORMPROOF_OK);
      ratios.push_back(verdict.ratio);
    }
    normproof_close(own);
    return ratios;
  };
  const char* const globs[] = {"quick/rms_norm/r*float32", "quick/layer_norm/r*float64"};
  std::vector<std::future<std::vector<double>>> beside;
  for (const char* glob : globs)
    for (int i = 0; i < 2; ++i) beside.push_back(std::async(std::launch::async, judged, glob));
  for (std::size_t i = 0; i < beside.size(); ++i) EXPECT_EQ(beside[i].get(), judged(globs[i / 2]));
}

TEST_F(CAbiUserCases, CasesAreDescribedWithoutReadingTheirTensors) {
  ASSERT_EQ(open("quick/layer_norm/*"), NORMPROOF_OK);
  const auto descriptions = golden::certify::list_corpus(kGolden, "quick/layer_norm/*");
  ASSERT_EQ(normproof_case_count(corpus_), descriptions.size());
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    EXPECT_EQ(normproof_case_path(corpus_, i), descriptions[i].path);
    EXPECT_EQ(normproof_case_json(corpus_, i), descriptions[i].case_text);
  }
  EXPECT_EQ(normproof_case_path(corpus_, descriptions.size()), nullptr);
  EXPECT_THAT(error(), HasSubstr("expected less than"));
  EXPECT_EQ(normproof_case_json(corpus_, descriptions.size()), nullptr);
  EXPECT_EQ(normproof_case_json(nullptr, 0), nullptr);
}

TEST_F(CAbiUserCases, VersionsOfLibraryAndCorpusAreReported) {
  EXPECT_STREQ(normproof_version_of(corpus_), "");
  EXPECT_STREQ(normproof_version_of(nullptr), "");
  ASSERT_EQ(open("*"), NORMPROOF_OK);
  EXPECT_STREQ(normproof_version_of(corpus_), normproof_corpus_version());
  EXPECT_STREQ(normproof_version(), NORMPROOF_VERSION);
}

}  // namespace
}  // namespace normproof::tests::verification::bindings::c
