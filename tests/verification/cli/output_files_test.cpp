#include "verification/cli/output_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli {
namespace {

using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using namespace normproof::verification::cli;
using testing::HasSubstr;
using testing::ThrowsMessage;
using tests::ref::io::TemporaryFolder;
using Path = std::optional<std::filesystem::path>;

void check(const Path& in, const Path& first, const Path& second) {
  check_outputs({{"--in", in}}, {{"--first", first}, {"--second", second}});
}

TEST(OutputFiles, FileIsRecognizedUnderAnotherName) {
  const TemporaryFolder folder;
  write_file(folder / "in", "x");
  std::filesystem::create_symlink(folder / "in", folder / "link");
  std::filesystem::create_symlink(folder.path(), folder / "here");
  const auto same = ThrowsMessage<UsageError>(HasSubstr("name the same file"));
  EXPECT_THAT([&] { check({}, folder / "a", folder / "a"); }, same);
  EXPECT_THAT([&] { check({}, folder / "a", folder / "." / "a"); }, same);
  EXPECT_THAT([&] { check({}, folder / "a", folder / "here" / "a"); }, same);
  EXPECT_THAT([&] { check(folder / "in", {}, folder / "link"); }, same);
  check(folder / "in", folder / "a", folder / "b");
  check({}, "/dev/null", "/dev/null");
  check({}, {}, {});
}

TEST(OutputFiles, DashForStandardOutputIsRejected) {
  EXPECT_THAT(error_message<UsageError>([] { check({}, {}, "-"); }),
              HasSubstr("--second is '-', which names no file"));
}

TEST(OutputFiles, AreCheckedBeforeTheWorkWithoutLeavingFiles) {
  const TemporaryFolder folder;
  write_file(folder / "old", "x");
  check({}, folder / "old", folder / "new");
  EXPECT_EQ(read_file(folder / "old"), "x");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THAT(error_message<FileError>([&] { check({}, folder / "absent" / "a", {}); }),
              HasSubstr("does not exist"));
  EXPECT_THAT(error_message<FileError>([&] { check({}, folder.path(), {}); }),
              HasSubstr("it is a folder"));
  EXPECT_THAT(error_message<FileError>([&] { check({}, "/proc/normproof", {}); }),
              HasSubstr("/proc/normproof"));
}

TEST(OutputFiles, OthersAreWrittenIfOneFails) {
  int written = 0;
  const auto fails = [](const char* what) { return [what] { throw FileError(what); }; };
  EXPECT_THAT(error_message<FileError>([&] {
                write_all({fails("first"), [&] { ++written; }, fails("second")});
              }),
              "first");
  EXPECT_EQ(written, 1);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
