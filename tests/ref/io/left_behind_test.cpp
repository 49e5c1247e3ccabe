#include "ref/io/left_behind.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "ref/io/descriptor.hpp"
#include "tests/ref/io/temporary_folder.hpp"

namespace normproof::ref::io {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAre;
using tests::ref::io::list_entry_names;

/// Returns the id of a process that has ended.
std::string dead_process_id() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return std::to_string(child);
}

TEST(LeftoverTemporaryFiles, AreRemovedIfTheirProcessHasEnded) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string dead = dead_process_id(), own = std::to_string(::getpid());
  for (const std::string& name :
       {".p-" + dead + ".tmp", ".p-" + dead + "-3.tmp", ".p-" + dead + ".new-" + dead + ".tmp"})
    std::ofstream(folder / name) << "text";
  fs::create_directories(folder / (".p-" + dead + "-4.tmp") / "deep");
  const std::vector<std::string> stay = {
      ".p-" + own + "-1.tmp", ".p-1.tmp",   ".p-.tmp",
      ".p-x" + dead + ".tmp", ".p-12x.tmp", ".q-" + dead + ".tmp",
      ".p-" + dead + ".txt",  ".p-0.tmp",   ".p--7.tmp",
      "p-" + dead + ".tmp"};
  for (const std::string& name : stay) std::ofstream(folder / name) << "text";
  remove_leftover_entries(folder.path(), ".p-", ".tmp");
  EXPECT_THAT(list_entry_names(folder.path()), ::testing::UnorderedElementsAreArray(stay));
}

TEST(LeftoverTemporaryFiles, AreKeptWhileAProcessLocksThem) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string dead = dead_process_id();
  const std::string file = ".p-" + dead + "-0.tmp", deep = ".p-" + dead + ".tmp";
  std::ofstream(folder / file) << "text";
  fs::create_directories(folder / deep);
  // A process on another machine may hold these locks. No process on this machine has its id.
  const Descriptor first(::open((folder / file).c_str(), O_WRONLY)),
      second(::open((folder / deep).c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(try_lock_as_in_use(first.get()));
  EXPECT_TRUE(try_lock_as_in_use(second.get()));
  remove_leftover_entries(folder.path(), ".p-", ".tmp");
  EXPECT_THAT(list_entry_names(folder.path()), UnorderedElementsAre(file, deep));
}

TEST(LeftoverTemporaryFiles, CannotBeLockedTwiceOrAfterRemoval) {
  const tests::ref::io::TemporaryFolder folder;
  std::ofstream(folder / "a") << "text";
  const Descriptor first(::open((folder / "a").c_str(), O_RDONLY)),
      second(::open((folder / "a").c_str(), O_RDONLY));
  EXPECT_TRUE(try_lock_as_in_use(first.get()));
  EXPECT_TRUE(try_lock_as_in_use(first.get()));
  EXPECT_FALSE(try_lock_as_in_use(second.get()));
  fs::remove(folder / "a");
  EXPECT_FALSE(try_lock_as_in_use(first.get()));
}

TEST(LeftoverTemporaryFiles, AnAbsentFolderIsIgnored) {
  remove_leftover_entries("/nowhere/at/all", ".p-", ".tmp");
}

}  // namespace
}  // namespace normproof::ref::io
