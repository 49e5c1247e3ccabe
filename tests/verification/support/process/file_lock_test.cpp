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
using Patience = FileLock::Patience;

TEST(FileLock, AFileIsHeldByOneUntilItsScopeEnds) {
  const tests::ref::io::TemporaryFolder folder;
  {
    auto held = FileLock::take(folder / "lock", Patience::at_once);
    ASSERT_TRUE(held);
    EXPECT_FALSE(FileLock::take(folder / "lock", Patience::at_once));
    EXPECT_TRUE(FileLock::take(folder / "other", Patience::at_once));
    const FileLock moved = std::move(*held);
    EXPECT_FALSE(FileLock::take(folder / "lock", Patience::at_once));
  }
  EXPECT_TRUE(FileLock::take(folder / "lock", Patience::at_once));
}

TEST(FileLock, AKilledProcessHoldsNothing) {
  const tests::ref::io::TemporaryFolder folder;
  Child holder = Child::begin("fork", [&] {
    const auto held = FileLock::take(folder / "lock", Patience::at_once);
    return ::raise(SIGKILL);
  });
  EXPECT_EQ(holder.wait().code, SIGKILL);
  EXPECT_TRUE(FileLock::take(folder / "lock", Patience::at_once));
}

TEST(FileLock, WaitingGetsItWhenTheOtherLetsGo) {
  using Clock = std::chrono::steady_clock;
  const tests::ref::io::TemporaryFolder folder;
  const Pipe pipe = make_pipe("pipe");
  const Child holder = Child::begin("fork", [&] {
    const auto held = FileLock::take(folder / "lock", Patience::at_once);
    ref::io::write_all(pipe.writing.get(), held ? "held\n" : "not\n");
    ::usleep(100'000);
    return 0;
  });
  ASSERT_EQ(LineReader(pipe.reading.get()).next(), "held");
  const auto begin = Clock::now();
  EXPECT_FALSE(FileLock::take(folder / "lock", Patience::at_once));
  EXPECT_TRUE(FileLock::take(folder / "lock", Patience::wait));
  EXPECT_GT(Clock::now() - begin, std::chrono::milliseconds(50));
}

TEST(FileLock, AFileThatCannotBeMadeIsNamed) {
  const tests::ref::io::TemporaryFolder folder;
  EXPECT_THAT(
      error_message<FileError>([&] { FileLock::take(folder / "absent/lock", Patience::at_once); }),
      HasSubstr("absent/lock': No such file or directory"));
}

TEST(FileLock, AFolderIsHeldByOneUntilItsScopeEndsAndGetsNoFile) {
  const tests::ref::io::TemporaryFolder folder;
  {
    auto held = FileLock::take_folder(folder.path());
    ASSERT_TRUE(held);
    EXPECT_FALSE(FileLock::take_folder(folder.path()));
    const FileLock moved = std::move(*held);
    EXPECT_FALSE(FileLock::take_folder(folder.path()));
  }
  EXPECT_TRUE(FileLock::take_folder(folder.path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileLock, AFolderHasToBeOne) {
  const tests::ref::io::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"absent", "file"})
    EXPECT_THAT(error_message<FileError>([&] { FileLock::take_folder(folder / name); }),
                HasSubstr("cannot open '"))
        << name;
}

}  // namespace
}  // namespace normproof::verification::support::process
