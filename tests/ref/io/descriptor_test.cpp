#include "ref/io/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <utility>

namespace normproof::tests::ref::io {
namespace {

using normproof::ref::io::Descriptor;
using normproof::ref::io::read_once;
using normproof::ref::io::retry_interrupted;
using normproof::ref::io::write_all;

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) >= 0;
}

Descriptor open_dev_null() {
  return Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC));
}

std::array<Descriptor, 2> make_pipe() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

TEST(Descriptor, ClosesAtTheEndOfItsScope) {
  int number = -1;
  {
    const Descriptor file = open_dev_null();
    number = file.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, OnlyTheLastOwnerClosesTheFile) {
  const auto move_descriptor = [] {
    Descriptor first = open_dev_null();
    return Descriptor(std::move(first));
  };
  const Descriptor second = move_descriptor();
  EXPECT_TRUE(second.is_open());
  EXPECT_TRUE(is_open(second.get()));
}

TEST(Descriptor, AssignmentClosesTheOldDescriptor) {
  Descriptor held = open_dev_null();
  const int before = held.get();
  held = open_dev_null();
  EXPECT_TRUE(held.is_open());
  EXPECT_NE(held.get(), before);
  EXPECT_FALSE(is_open(before));
}

TEST(Descriptor, CloseReturnsTheResultOfTheSystemCall) {
  Descriptor file = open_dev_null();
  EXPECT_EQ(file.close(), 0);
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(file.close(), -1);
  EXPECT_FALSE(Descriptor(::open("/no such file", O_RDONLY)).is_open());
}

TEST(RetryInterrupted, RetriesASystemCallOnlyIfASignalInterruptedIt) {
  int calls = 0;
  const auto interrupted_twice = [&] {
    errno = EINTR;
    return ++calls < 3 ? -1 : 7;
  };
  EXPECT_EQ(retry_interrupted(interrupted_twice), 7);
  EXPECT_EQ(calls, 3);
  const auto full = [&] {
    ++calls;
    errno = ENOSPC;
    return -1;
  };
  EXPECT_EQ(retry_interrupted(full), -1);
  EXPECT_EQ(calls, 4);
}

/// Sends the signal SIGALRM every 2 ms, from construction to destruction. The signal interrupts
/// system calls that wait.
class RepeatedSignals {
 public:
  RepeatedSignals() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &action, &before_);
    const itimerval often = {{0, 2000}, {0, 2000}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~RepeatedSignals() {
    const itimerval never = {};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  struct sigaction before_ = {};
};

TEST(WriteAll, WritesMoreThanAPipeHoldsDespiteSignals) {
  auto [reading, writing] = make_pipe();
  const std::string sent = std::string(1'000'000, 'x') + "end";
  std::string got;
  std::jthread reader([&, end = reading.get()] {
    sigset_t alarm;  // only the writer receives the signals
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
    do {
      ::usleep(3000);
    } while (read_once(end, got) > 0);
  });
  {
    const RepeatedSignals interruptions;
    EXPECT_EQ(write_all(writing.get(), sent), 0);
  }
  writing.close();
  reader.join();
  EXPECT_EQ(got, sent);
}

TEST(ReadSome, WaitsForDataDespiteSignalsAndReturnsZeroAtTheEnd) {
  auto [reading, writing] = make_pipe();
  std::jthread writer([end = writing.get()] {
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
    ::usleep(20'000);
    write_all(end, "late");
  });
  std::string got = "so ";
  {
    const RepeatedSignals interruptions;
    EXPECT_EQ(read_once(reading.get(), got), 4);
  }
  EXPECT_EQ(got, "so late");
  writer.join();
  writing.close();
  EXPECT_EQ(read_once(reading.get(), got), 0);
  reading.close();
  EXPECT_EQ(read_once(-1, got), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(got, "so late");
}

TEST(WriteAll, ReturnsTheErrorOfTheFirstFailedWrite) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(write_all(full.get(), "x"), ENOSPC);
  EXPECT_EQ(write_all(full.get(), ""), 0);
  EXPECT_EQ(write_all(-1, "x"), EBADF);
}

}  // namespace
}  // namespace normproof::tests::ref::io
