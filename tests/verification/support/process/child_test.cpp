#include "verification/support/process/child.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/support/process/has_ended.hpp"
#include "verification/support/process/pipe.hpp"

namespace normproof::verification::support::process {
namespace {

using ref::numeric::contract_message;

void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, ExitsWithTheReturnedStatus) {
  const ProcessEnding fine = Child::begin("fork", [] { return 0; }).wait();
  EXPECT_TRUE(fine.succeeded());
  EXPECT_EQ(fine.to_text(), "status 0");
  const ProcessEnding three = Child::begin("fork", [] { return 3; }).wait();
  EXPECT_FALSE(three.succeeded());
  EXPECT_FALSE(three.by_signal);
  EXPECT_EQ(three.code, 3);
  EXPECT_EQ(three.to_text(), "status 3");
  expect_no_child();
}

TEST(ChildProcess, RunsInASeparateProcess) {
  int here = 1;
  EXPECT_TRUE(Child::begin("fork",
                           [&] {
                             here = 2;
                             return 0;
                           })
                  .wait()
                  .succeeded());
  EXPECT_EQ(here, 1);
}

TEST(ChildProcess, NamesTheSignalThatEndedIt) {
  const ProcessEnding killed = Child::begin("fork", [] { return ::raise(SIGKILL); }).wait();
  EXPECT_TRUE(killed.by_signal);
  EXPECT_FALSE(killed.succeeded());
  EXPECT_EQ(killed.code, SIGKILL);
  EXPECT_EQ(killed.to_text(), "signal 9 (Killed)");
}

TEST(ChildProcess, ExceptionEndsTheChildBySigabrt) {
  const ProcessEnding ending = Child::begin("fork", []() -> int {
                                 ::close(STDERR_FILENO);
                                 throw std::runtime_error("lost");
                               }).wait();
  EXPECT_TRUE(ending.by_signal);
  EXPECT_EQ(ending.code, SIGABRT);
}

TEST(ChildProcess, IsKilledAndReapedAtTheEndOfItsScope) {
  pid_t process = 0;
  {
    Child child = Child::begin("fork", sleep_for_ever);
    process = child.id();
    EXPECT_FALSE(child.try_wait());
    Child moved = std::move(child);
    EXPECT_EQ(moved.id(), process);
    EXPECT_EQ(::kill(process, 0), 0);
  }
  EXPECT_EQ(::kill(process, 0), -1);
  expect_no_child();
}

TEST(ChildProcess, TryWaitReportsTheEndOnce) {
  Child child = Child::begin("fork", sleep_for_ever);
  EXPECT_FALSE(child.try_wait());
  child.kill();
  std::optional<ProcessEnding> ending;
  for (int tries = 0; tries < 1000 && !ending; ++tries) {
    ending = child.try_wait();
    ::usleep(10'000);
  }
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->code, SIGKILL);
  expect_no_child();
}

TEST(ChildProcess, C1_RejectsWaitingForAProcessNotBegunOrAlreadyWaitedFor) {
  const std::string refusal =
      ": the process was not begun, or was waited for; expected one that no one has waited for "
      "(C1)";
  Child none;
  EXPECT_EQ(contract_message([&] { none.wait(); }), "Child::wait" + refusal);
  Child ended = Child::begin("fork", [] { return 0; });
  const Child other = Child::begin("fork", sleep_for_ever);
  ended.wait();
  EXPECT_EQ(contract_message([&] { ended.wait(); }), "Child::wait" + refusal);
  EXPECT_EQ(contract_message([&] { ended.try_wait(); }), "Child::try_wait" + refusal);
  EXPECT_EQ(::kill(other.id(), 0), 0);  // the rejected calls waited for no other process
}

TEST(ChildProcess, EndsWithItsParentIfRequested) {
  Pipe pipe = make_pipe("pipe");
  Child parent = Child::begin("fork", [&] {
    const Child child = Child::begin("fork", sleep_for_ever, {.ends_with_parent = true});
    ref::io::write_all(pipe.writing.get(), std::to_string(child.id()) + "\n");
    return sleep_for_ever();
  });
  const auto line = LineReader(pipe.reading.get()).next();
  ASSERT_TRUE(line);
  parent.kill();
  parent.wait();
  EXPECT_TRUE(has_ended(std::stoi(*line)));
}

TEST(ChildProcess, WaitingResumesAfterASignal) {
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);
  const itimerval often = {{0, 2000}, {0, 2000}}, never = {};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const ProcessEnding ending = Child::begin("fork", [&] {
                                 // a fork inherits no timer, so no SIGALRM interrupts this sleep
                                 ::usleep(30'000);
                                 return 5;
                               }).wait();
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(ending.to_text(), "status 5");
  expect_no_child();
}

}  // namespace
}  // namespace normproof::verification::support::process
