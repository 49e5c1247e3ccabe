#include "verification/cli/standard_streams.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using testing::HasSubstr;

TEST(StandardStreams, WritesEveryByte) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string bytes(3'000'000, 'x');
  const int file = ::open((folder / "f").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_GE(file, 0);
  write_all(file, "f", bytes);
  ::close(file);
  EXPECT_EQ(read_file(folder / "f"), bytes);
}

TEST(StandardStreams, FullDiskAndClosedPipeAreErrors) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  EXPECT_THAT(error_message<FileError>([&] { write_all(full, "the disk", "x"); }),
              HasSubstr("the disk cannot be written (No space left"));
  ::close(full);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  ignore_closed_pipes();
  EXPECT_THAT(error_message<FileError>([&] { write_all(ends[1], "the pipe", "x"); }),
              HasSubstr("the pipe cannot be written (Broken pipe)"));
  ::close(ends[1]);
  std::signal(SIGPIPE, SIG_DFL);
}

TEST(StandardStreams, FileIsNotATerminal) {
  const int null = ::open("/dev/null", O_WRONLY);
  EXPECT_FALSE(is_terminal(null));
  EXPECT_EQ(terminal_width(null, 77), 77u);
  ::close(null);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
