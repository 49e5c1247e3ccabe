#include "verification/support/process/file_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "verification/support/process/child.hpp"
#include "verification/support/process/pipe.hpp"

namespace normproof::verification::support::process {
namespace {

using ref::numeric::error_message;
using ref::numeric::FileError;
using ::testing::HasSubstr;
using LockWait = FileLock::LockWait;

TEST(FileLock, FileIsLockedUntilTheEndOfTheScope) {
  const tests::ref::io::TemporaryFolder folder;
  {
    auto held = FileLock::acquire(folder / "lock", LockWait::at_once);
    ASSERT_TRUE(held);
    EXPECT_FALSE(FileLock::acquire(folder / "lock", LockWait::at_once));
    EXPECT_TRUE(FileLock::acquire(folder / "other", LockWait::at_once));
    const FileLock moved = std::move(*held);
    EXPECT_FALSE(FileLock::acquire(folder / "lock", LockWait::at_once));
  }
  EXPECT_TRUE(FileLock::acquire(folder / "lock", LockWait::at_once));
}

TEST(FileLock, KilledProcessReleasesItsLock) {
  const tests::ref::io::TemporaryFolder folder;
  Child holder = Child::begin("fork", [&] {
    const auto held = FileLock::acquire(folder / "lock", LockWait::at_once);
    return ::raise(SIGKILL);
  });
  EXPECT_EQ(holder.wait().code, SIGKILL);
  EXPECT_TRUE(FileLock::acquire(folder / "lock", LockWait::at_once));
}

TEST(FileLock, WaitsUntilTheHolderReleasesTheLock) {
  using Clock = std::chrono::steady_clock;
  const tests::ref::io::TemporaryFolder folder;
  const Pipe pipe = make_pipe("pipe");
  const Child holder = Child::begin("fork", [&] {
    const auto held = FileLock::acquire(folder / "lock", LockWait::at_once);
    ref::io::write_all(pipe.writing.get(), held ? "held\n" : "not\n");
    ::usleep(100'000);
    return 0;
  });
  ASSERT_EQ(LineReader(pipe.reading.get()).next(), "held");
  const auto begin = Clock::now();
  EXPECT_FALSE(FileLock::acquire(folder / "lock", LockWait::at_once));
  EXPECT_TRUE(FileLock::acquire(folder / "lock", LockWait::wait));
  EXPECT_GT(Clock::now() - begin, std::chrono::milliseconds(50));
}

TEST(FileLock, ErrorNamesAFileThatCannotBeCreated) {
  const tests::ref::io::TemporaryFolder folder;
  EXPECT_THAT(error_message<FileError>(
                  [&] { FileLock::acquire(folder / "absent/lock", LockWait::at_once); }),
              HasSubstr("absent/lock': No such file or directory"));
}

TEST(FileLock, FolderIsLockedUntilTheEndOfTheScopeWithoutALockFile) {
  const tests::ref::io::TemporaryFolder folder;
  {
    auto held = FileLock::acquire_folder(folder.path());
    ASSERT_TRUE(held);
    EXPECT_FALSE(FileLock::acquire_folder(folder.path()));
    const FileLock moved = std::move(*held);
    EXPECT_FALSE(FileLock::acquire_folder(folder.path()));
  }
  EXPECT_TRUE(FileLock::acquire_folder(folder.path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileLock, RejectsALockOnAnythingButAFolder) {
  const tests::ref::io::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"absent", "file"})
    EXPECT_THAT(error_message<FileError>([&] { FileLock::acquire_folder(folder / name); }),
                HasSubstr("cannot open '"))
        << name;
}

}  // namespace
}  // namespace normproof::verification::support::process
