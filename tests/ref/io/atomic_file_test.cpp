#include "ref/io/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using numeric::error_message;
using numeric::FileError;
using ::testing::ElementsAre;
using ::testing::StrEq;
using ::testing::UnorderedElementsAre;
using tests::ref::io::list_entry_names;
using tests::ref::io::TemporaryFolder;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kHasAddressSanitizer = false;
#endif

constexpr uid_t kNobodyUserId = 65534;
constexpr std::size_t kSmallDiskBytes = std::size_t{1} << 16;
constexpr off_t kHugeFileBytes = off_t{1} << 40;
const std::string kLongText(4 * kSmallDiskBytes, 'x');

void write_old_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

mode_t file_mode(const std::filesystem::path& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

/// Calls `call`. Returns the message of the FileError that it throws, or "no FileError".
template <typename Call>
std::string failure_message(Call call) {
  try {
    call();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no FileError";
}

/// Limits the size of the files that the process writes, from construction to destruction. Writing
/// beyond the limit fails as on a full disk, and sends the signal SIGXFSZ.
class FileSizeLimit {
 public:
  FileSizeLimit(rlim_t bytes, void (*on_signal)(int)) {
    old_handler_ = std::signal(SIGXFSZ, on_signal);
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit_), 0);
    const rlimit limit{bytes, old_limit_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  void (*old_handler_)(int);
  rlimit old_limit_ = {};
};

TEST(WriteFile, CreatesAFileAndNoOtherFiles) {
  const TemporaryFolder folder;
  write_file(folder / "new.txt", std::string_view("one\0two", 7));
  EXPECT_EQ(read_text(folder / "new.txt"), std::string("one\0two", 7));
  EXPECT_THAT(list_entry_names(folder.path()), ElementsAre("new.txt"));
}

TEST(WriteFile, ReplacesTheWholeOldFile) {
  const TemporaryFolder folder;
  write_old_file(folder / "a", "a long old text");
  write_file(folder / "a", "new");
  EXPECT_EQ(read_text(folder / "a"), "new");
  EXPECT_THAT(list_entry_names(folder.path()), ElementsAre("a"));
}

TEST(WriteFile, WritesAnEmptyFile) {
  const TemporaryFolder folder;
  write_old_file(folder / "a", "old");
  write_file(folder / "a", "");
  EXPECT_EQ(std::filesystem::file_size(folder / "a"), 0U);
}

TEST(WriteFile, AReaderOfTheOldFileStillReadsTheOldContents) {
  const TemporaryFolder folder;
  write_old_file(folder / "a", "old");
  std::ifstream reader(folder / "a");
  write_file(folder / "a", "new");
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST(WriteFile, AcceptsARelativeNameInTheCurrentFolder) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("plain", "text");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_text(folder / "plain"), "text");
}

TEST(WriteFile, AcceptsTheLongestNameThatAFolderCanHold) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "text");
  EXPECT_EQ(read_text(folder / name), "text");
}

TEST(WriteFile, KeepsPermissionsOfOldFilesAndAppliesTheUmaskToNewFiles) {
  const TemporaryFolder folder;
  write_old_file(folder / "old", "old");
  ASSERT_EQ(::chmod((folder / "old").c_str(), 0751), 0);
  const mode_t umask_before = ::umask(027);
  write_file(folder / "old", "new");
  write_file(folder / "new", "new");
  ::umask(umask_before);
  EXPECT_EQ(file_mode(folder / "old"), 0751U);
  EXPECT_EQ(file_mode(folder / "new"), 0640U);
}

TEST(WriteFile, WritesToTheTargetOfASymbolicLink) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "there");
  write_old_file(folder / "there/a", "old");
  std::filesystem::create_symlink("there/a", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "there/a"), "new");
  EXPECT_THAT(list_entry_names(folder / "there"), ElementsAre("a"));
}

TEST(WriteFile, WritesDirectlyToAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int keeps_open = ::open((folder / "pipe").c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(keeps_open, 0);
  write_file(folder / "pipe", "through");
  char text[8] = {};
  EXPECT_EQ(::read(keeps_open, text, sizeof text), 7);
  ::close(keeps_open);
  EXPECT_STREQ(text, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(WriteFile, RejectsTargetsThatAreNotFiles) {
  const TemporaryFolder folder;
  const std::string base = folder.path().string();
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  write_old_file(folder / "file", "old");
  const auto rejection_message = [&](const std::string& name) {
    return failure_message([&] { write_file(folder / name, "new"); });
  };
  EXPECT_EQ(rejection_message("sub"), "cannot write '" + base + "/sub': it is a folder");
  EXPECT_EQ(rejection_message("sub/"), "cannot write '" + base + "/sub/': it names no file");
  EXPECT_EQ(rejection_message("absent/a"), "cannot write '" + base + "/absent/a': the folder '" +
                                               base + "/absent' does not exist");
  EXPECT_EQ(rejection_message("file/a"),
            "cannot write '" + base + "/file/a': the folder '" + base + "/file' does not exist");
  EXPECT_EQ(rejection_message("dangling"),
            "cannot write '" + base + "/dangling': it is a symbolic link that leads to no file");
  EXPECT_EQ(rejection_message(std::string(256, 'n')),
            "cannot write '" + base + "/" + std::string(256, 'n') + "': File name too long");
  EXPECT_EQ(failure_message([] { write_file("", "new"); }), "cannot write '': it names no file");
  EXPECT_THAT(list_entry_names(folder.path()), UnorderedElementsAre("sub", "dangling", "file"));
  EXPECT_EQ(read_text(folder / "file"), "old");
}

TEST(WriteFile, KeepsTheOldFileIfTheFolderIsNotWritable) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  write_old_file(folder / "a", "old");
  ASSERT_EQ(::seteuid(kNobodyUserId), 0);
  const std::string sentence = failure_message([&] { write_file(folder / "a", "new"); });
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(sentence, "cannot write '" + (folder / "a").string() + "': the folder '" +
                          folder.path().string() + "' is read-only (Permission denied)");
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_THAT(list_entry_names(folder.path()), ElementsAre("a"));
}

TEST(WriteFile, KeepsTheOldFileAtAFileSizeLimit) {
  const TemporaryFolder folder;
  write_old_file(folder / "a", "old");
  std::string sentence;
  {
    const FileSizeLimit limit(kSmallDiskBytes, SIG_IGN);
    sentence = failure_message([&] { write_file(folder / "a", kLongText); });
  }
  EXPECT_EQ(sentence, "cannot write '" + (folder / "a").string() + "': File too large");
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_THAT(list_entry_names(folder.path()), ElementsAre("a"));
}

TEST(WriteFile, KeepsTheOldFileOnAFullDisk) {
  const TemporaryFolder folder;
  const std::string options = "size=" + std::to_string(kSmallDiskBytes);
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, options.c_str()) != 0) {
    GTEST_SKIP() << "no small disk can be mounted here: " << std::strerror(errno);
  }
  write_old_file(folder / "a", "old");
  const std::string sentence = failure_message([&] { write_file(folder / "a", kLongText); });
  const std::string text = read_text(folder / "a");
  const std::vector<std::string> names = list_entry_names(folder.path());
  ASSERT_EQ(::umount2(folder.path().c_str(), MNT_DETACH), 0);
  EXPECT_EQ(sentence, "cannot write '" + (folder / "a").string() + "': No space left on device");
  EXPECT_EQ(text, "old");
  EXPECT_THAT(names, ElementsAre("a"));
}

TEST(WriteFile, ReportsAFullDevice) {
  EXPECT_THAT(error_message<FileError>([] { write_file("/dev/full", "text"); }),
              StrEq("cannot write '/dev/full': No space left on device"));
}

TEST(WriteFile, KeepsTheOldFileIfTheProcessIsKilled) {
  const TemporaryFolder folder;
  write_old_file(folder / "a", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const FileSizeLimit limit(kSmallDiskBytes,
                              SIG_DFL);  // the signal kills the process inside write()
    write_file(folder / "a", kLongText);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_THAT(list_entry_names(folder.path()),
              UnorderedElementsAre("a", ".normproof-" + std::to_string(child) + "-0.tmp"));
  // The next process that writes there removes the temporary file.
  write_file(folder / "a", "new");
  EXPECT_THAT(list_entry_names(folder.path()), UnorderedElementsAre("a"));
}

TEST(WriteFile, DoesNotTouchTemporaryFilesOfRunningProcesses) {
  const TemporaryFolder folder;
  const std::string first = ".normproof-" + std::to_string(::getpid()) + "-0.tmp";
  write_old_file(folder / first, "left behind");
  write_file(folder / "a", "new");
  EXPECT_EQ(read_text(folder / first), "left behind");
  EXPECT_THAT(list_entry_names(folder.path()), UnorderedElementsAre("a", first));
}

TEST(ReadFile, ReturnsEveryByteOfAFileOfAnySize) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, (std::size_t{1} << 20) - 1,
                                 std::size_t{1} << 20, (std::size_t{1} << 21) + 3}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
    write_old_file(folder / "a", text);
    EXPECT_EQ(read_text(folder / "a"), text) << size;
  }
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    write_old_file(folder / "pipe", kLongText);
    ::_exit(0);
  }
  EXPECT_EQ(read_text(folder / "pipe"), kLongText);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(ReadFile, RejectsPathsThatAreNotReadableFiles) {
  const TemporaryFolder folder;
  const std::string base = folder.path().string();
  write_old_file(folder / "empty", "");
  write_old_file(folder / "a", "text");
  const auto rejection_message = [&](const std::string& name) {
    return failure_message([&] { read_file(folder / name); });
  };
  EXPECT_EQ(rejection_message("absent"),
            "cannot read '" + base + "/absent': No such file or directory");
  EXPECT_EQ(rejection_message("a/b"), "cannot read '" + base + "/a/b': Not a directory");
  EXPECT_EQ(rejection_message("."), "cannot read '" + base + "/.': it is a folder");
  EXPECT_EQ(rejection_message("empty"), "cannot read '" + base + "/empty': it is empty");
  EXPECT_EQ(failure_message([] { read_file("/dev/zero"); }),
            "cannot read '/dev/zero': it is neither a regular file nor a pipe");
}

TEST(ReadFile, RejectsFilesBeyondTheLimits) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  write_old_file(folder / "a", "12345");
  const auto rejection_message = [&](const std::string& name, const ReadLimits& limits) {
    return failure_message([&] { read_file(folder / name, limits); });
  };
  EXPECT_EQ(rejection_message("pipe", {.regular_files_only = true}),  // the pipe has no writer
            "cannot read '" + (folder / "pipe").string() + "': it is not a regular file");
  EXPECT_EQ(rejection_message("a", {.max_bytes = 4}),
            "cannot read '" + (folder / "a").string() + "': it has 5 bytes; expected at most 4");
  EXPECT_EQ(read_text(folder / "a", {.regular_files_only = true, .max_bytes = 5}), "12345");
}

TEST(ReadFile, RejectsAFileWithoutPermission) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  write_old_file(folder / "a", "text");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0600), 0);
  ASSERT_EQ(::seteuid(kNobodyUserId), 0);
  const std::string sentence = failure_message([&] { read_file(folder / "a"); });
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(sentence, "cannot read '" + (folder / "a").string() + "': Permission denied");
}

TEST(ReadFile, RejectsAFileThatDoesNotFitInMemory) {
  if (kHasAddressSanitizer) GTEST_SKIP() << "it ends the program where memory is refused";
  const TemporaryFolder folder;
  write_old_file(folder / "a", "text");
  // The file is sparse: it uses no disk blocks.
  ASSERT_EQ(::truncate((folder / "a").c_str(), kHugeFileBytes), 0);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit limit{static_cast<rlim_t>(kHugeFileBytes) / 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  const std::string sentence = failure_message([&] { read_file(folder / "a"); });
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(sentence, "cannot read '" + (folder / "a").string() +
                          "': it does not fit in memory (1099511627776 bytes)");
}

}  // namespace
}  // namespace normproof::ref::io
