#include "verification/cli/study/study_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::tests::verification::cli::study {
namespace {

TEST(StudyGroup, HasACommandForEachStepOfAStudy) {
  const auto group = normproof::verification::cli::study::study_group();
  std::vector<std::string> names;
  for (const auto& verb : group.subcommands) names.push_back(verb.name);
  EXPECT_EQ(group.name, "study");
  EXPECT_THAT(names, testing::ElementsAre("list", "run", "status", "report", "power"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
