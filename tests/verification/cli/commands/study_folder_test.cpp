#include "verification/cli/commands/study_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli::commands {
namespace {

namespace tool = normproof::verification::cli;
using normproof::ref::numeric::FileError;
using testing::HasSubstr;

TEST(StudyFolder, DurationsAreForPeople) {
  EXPECT_EQ(tool::commands::duration_text(80.4), "80 s");
  EXPECT_EQ(tool::commands::duration_text(720), "12 min");
  EXPECT_EQ(tool::commands::duration_text(12600), "3.5 h");
}

TEST(StudyFolder, WithoutAStudyHasNoContents) {
  const tests::ref::io::TemporaryFolder folder;
  EXPECT_THAT(normproof::ref::numeric::error_message<FileError>([&] {
                const auto store = tool::commands::store_of(folder.path());
                tool::commands::read_contents(folder.path(), store);
              }),
              HasSubstr("holds no study"));
  EXPECT_THAT(normproof::ref::numeric::error_message<FileError>(
                  [&] { tool::commands::read_identity(folder.path(), "{}"); }),
              HasSubstr("study.json"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::commands
