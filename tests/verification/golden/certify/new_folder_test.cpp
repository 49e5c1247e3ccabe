#include "verification/golden/certify/new_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::golden::certify {
namespace {

namespace fs = std::filesystem;
using normproof::ref::numeric::error_message;
using ::testing::HasSubstr;

std::size_t count_entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(NewFolder, AppearsOnlyWhenPublished) {
  const tests::ref::io::TemporaryFolder place;
  {
    NewFolder folder("--out", place / "new");
    ref::io::write_file(folder.path() / "file", std::string_view("text"));
    EXPECT_FALSE(fs::exists(place / "new"));
    folder.publish();
  }
  EXPECT_EQ(ref::io::read_text(place / "new" / "file"), "text");
  EXPECT_EQ(count_entries(place / "."), 1u);
}

TEST(NewFolder, IsRemovedIfNotPublished) {
  const tests::ref::io::TemporaryFolder place;
  {
    NewFolder folder("--out", place / "new");
    ref::io::write_file(folder.path() / "file", std::string_view("text"));
  }
  EXPECT_EQ(count_entries(place / "."), 0u);
}

TEST(NewFolder, AcceptsAnEmptyFolderAndATrailingSlash) {
  const tests::ref::io::TemporaryFolder place;
  fs::create_directory(place / "new");
  NewFolder folder("--out", place / "new/");
  folder.publish();
  EXPECT_TRUE(fs::is_directory(place / "new"));
}

TEST(NewFolder, RejectsAnExistingFileOrFullFolder) {
  const tests::ref::io::TemporaryFolder place;
  fs::create_directories(place / "old" / "inside");
  EXPECT_THAT(error_message<ref::numeric::UsageError>([&] { NewFolder("--out", place / "old"); }),
              HasSubstr("is there already"));
  ref::io::write_file(place / "file", std::string_view("text"));
  EXPECT_THROW(NewFolder("--out", place / "file"), ref::numeric::UsageError);
  EXPECT_EQ(ref::io::read_text(place / "file"), "text");
}

TEST(NewFolder, ReportsAFolderThatCannotBeMadeInOneSentence) {
  EXPECT_THAT(
      error_message<ref::numeric::FileError>([] { NewFolder("--out", "/proc/nothing/here"); }),
      HasSubstr("cannot be made"));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
