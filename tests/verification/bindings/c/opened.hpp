#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "verification/bindings/c/normproof.h"
#include "verification/golden/certify/corpus_files.hpp"

namespace normproof::tests::verification::bindings::c {

namespace golden = normproof::verification::golden;

inline const std::filesystem::path kGolden =
    std::filesystem::path(NORMPROOF_SOURCE_DIR) / "verification/golden/data";
inline constexpr const char* kRandom = "quick/layer_norm/random-3x5x6-float64";

/// A test fixture with a handle of the C library. `open` opens a corpus, `select` selects a case.
class CAbi : public ::testing::Test {
 protected:
  ~CAbi() override { normproof_close(corpus_); }

  std::int32_t open(const std::string& glob, const std::filesystem::path& folder = kGolden) {
    normproof_close(corpus_);
    corpus_ = nullptr;
    return normproof_open(folder.c_str(), glob.c_str(), &corpus_);
  }
  std::string error() const { return normproof_error(corpus_); }

  void select(std::size_t index) {
    ASSERT_EQ(normproof_select(corpus_, index, &case_), NORMPROOF_OK) << error();
  }
  std::int32_t answer(const golden::corpus::StoredTensor& tensor) {
    const std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    return normproof_answer(corpus_, tensor.name.c_str(), static_cast<std::int32_t>(tensor.dtype),
                            static_cast<std::int32_t>(shape.size()), shape.data(),
                            tensor.bytes.data());
  }
  normproof_verdict judge(const std::vector<golden::corpus::StoredTensor>& tensors) {
    for (const golden::corpus::StoredTensor& tensor : tensors)
      EXPECT_EQ(answer(tensor), NORMPROOF_OK) << error();
    normproof_verdict verdict{};
    EXPECT_EQ(normproof_judge(corpus_, &verdict), NORMPROOF_OK) << error();
    return verdict;
  }

  normproof_corpus* corpus_ = nullptr;
  normproof_case case_ = {};
};

/// Reads the case with this path from the committed corpus.
inline golden::certify::StoredCase read_committed_case(const std::string& path) {
  return golden::certify::read_case(kGolden, golden::certify::list_corpus(kGolden, path).at(0));
}

}  // namespace normproof::tests::verification::bindings::c
