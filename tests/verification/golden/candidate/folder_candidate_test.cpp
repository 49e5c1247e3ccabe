#include "verification/golden/candidate/folder_candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/verification/golden/candidate/recorded_outputs.hpp"

namespace normproof::verification::golden::candidate {

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class FolderCandidate : public RecordedOutputs {};

TEST_F(FolderCandidate, PrefersAnNpzArchiveToSafetensors) {
  const fs::path place = outputs() / cases_[3].path;
  const auto answer = ref::io::read_tensors(place / "expected.safetensors");
  ref::io::write_tensors(place / "expected.npz", replace_element(answer, "y", 0, 99));
  EXPECT_FALSE(check(make_folder_candidate(outputs()))[3].passed());
  ref::io::write_tensors(place / "expected.npz", answer);
  fs::remove(place / "expected.safetensors");
  EXPECT_TRUE(check(make_folder_candidate(outputs()))[3].passed());
}

TEST_F(FolderCandidate, MissingOrDamagedOutputFailsOnlyItsCase) {
  const fs::path place = outputs() / cases_[2].path / "expected.safetensors";
  for (const bool absent : {false, true}) {
    if (absent)
      fs::remove(place);
    else
      std::ofstream(place) << "no tensors";
    const auto results = check(make_folder_candidate(outputs()));
    EXPECT_EQ(count_passed(results), cases_.size() - 1);
    EXPECT_FALSE(results[2].passed());
    EXPECT_THAT(results[2].problem, AllOf(HasSubstr(place.string()), Not(HasSubstr("\n"))));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
