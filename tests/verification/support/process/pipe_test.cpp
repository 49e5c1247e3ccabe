#include "verification/support/process/pipe.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {
namespace {

TEST(MakePipe, ProgramsDoNotInheritThePipe) {
  const Pipe pipe = make_pipe("pipe");
  for (const int end : {pipe.reading.get(), pipe.writing.get()})
    EXPECT_EQ(::fcntl(end, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(MakePipe, FailureStartsWithTheTextOfTheCaller) {
  const ProcessEnding ending =
      Child::begin("fork", [] {
        const rlimit none = {3, 3};
        ::setrlimit(RLIMIT_NOFILE, &none);
        try {
          make_pipe("here: pipe");
        } catch (const std::system_error& error) {
          return std::string(error.what()).starts_with("here: pipe: ") ? 7 : 1;
        }
        return 2;
      }).wait();
  EXPECT_EQ(ending.to_text(), "status 7");
}

TEST(WriteQuietly, ClosedPipeIsAnErrorAndNotASignal) {
  Pipe pipe = make_pipe("pipe");
  EXPECT_EQ(write_without_signal(pipe.writing.get(), "abc"), 3);
  pipe.reading.close();
  // the default action of SIGPIPE would end this process
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(write_without_signal(pipe.writing.get(), "abc"), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

TEST(WriteQuietly, FullNonBlockingPipeReturnsAnError) {
  const Pipe pipe = make_pipe("pipe");
  ::fcntl(pipe.writing.get(), F_SETFL, O_NONBLOCK);
  const std::string text_larger_than_pipe(8'000'000, 'x');
  EXPECT_GT(write_without_signal(pipe.writing.get(), text_larger_than_pipe), 0);
  EXPECT_EQ(write_without_signal(pipe.writing.get(), text_larger_than_pipe), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(LineReader, ReturnsWholeLinesAndDropsAnUnfinishedOne) {
  Pipe pipe = make_pipe("pipe");
  const std::string long_line(300'000, 'y');  // more than the pipe's capacity
  Child writer = Child::begin("fork", [&] {
    const std::string text = "one\n\ntwo words\n" + long_line + "\nlast\ntorn";
    return ref::io::write_all(pipe.writing.get(), text);
  });
  pipe.writing.close();
  LineReader lines(pipe.reading.get());
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "two words");
  EXPECT_EQ(lines.next(), long_line);
  EXPECT_EQ(lines.next(), "last");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_TRUE(writer.wait().succeeded());
}

TEST(LineReader, JoinsALineThatArrivesInPieces) {
  Pipe pipe = make_pipe("pipe");
  Child writer = Child::begin("fork", [&] {
    for (const char* piece : {"a", "b", "c\nd", "e\n"}) {
      if (ref::io::write_all(pipe.writing.get(), piece) != 0) return 1;
      ::usleep(5'000);
    }
    return 0;
  });
  pipe.writing.close();
  LineReader lines(pipe.reading.get());
  EXPECT_EQ(lines.next(), "abc");
  EXPECT_EQ(lines.next(), "de");
  EXPECT_EQ(lines.next(), std::nullopt);
}

}  // namespace
}  // namespace normproof::verification::support::process
