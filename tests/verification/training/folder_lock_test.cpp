#include "verification/training/folder_lock.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"

namespace normproof::tests::verification::training {
namespace {

using normproof::verification::training::FolderLock;

TEST(FolderLock, IsHeldByOneUntilItsScopeEndsAndLeavesNothing) {
  const tests::ref::io::TemporaryFolder folder;
  {
    auto held = FolderLock::take(folder.path());
    ASSERT_TRUE(held);
    EXPECT_FALSE(FolderLock::take(folder.path()));
    const FolderLock moved = std::move(*held);
    EXPECT_FALSE(FolderLock::take(folder.path()));
  }
  EXPECT_TRUE(FolderLock::take(folder.path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FolderLock, NeedsAFolder) {
  const tests::ref::io::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"absent", "file"})
    EXPECT_THROW(FolderLock::take(folder / name), normproof::ref::numeric::FileError) << name;
}

}  // namespace
}  // namespace normproof::tests::verification::training
