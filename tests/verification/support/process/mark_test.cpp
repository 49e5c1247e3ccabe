#include "verification/support/process/mark.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <optional>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {
namespace {

Child begin_shell(const Mark& mark, const char* command) {
  return Child::begin("sh", [&] {
    const char* const arguments[] = {"sh", "-c", command, nullptr};
    ::execve("/bin/sh", const_cast<char* const*>(arguments), mark.environment());
    return 127;
  });
}

TEST(Mark, KillsMarkedProcessesOnly) {
  const Mark mark, other;
  Child marked = begin_shell(mark, "sleep 300"), stranger = begin_shell(other, "sleep 300");
  std::optional<Ending> ending;
  for (int tries = 0; tries < 1000 && !ending; ++tries) {  // retried until the child runs the shell
    mark.kill_all();
    ::usleep(10'000);
    ending = marked.try_wait();
  }
  ASSERT_TRUE(ending.has_value());
  EXPECT_TRUE(ending->by_signal);
  EXPECT_EQ(ending->code, SIGKILL);
  EXPECT_FALSE(stranger.try_wait().has_value());
  // Also ends the shell's `sleep`, which holds the test's output open: CTest would wait for it.
  other.kill_all();
}

// A process shows no environment for a moment during execve. This one is in that state most of the
// time.
TEST(Mark, KillsAProcessThatKeepsCallingExecve) {
  for (int i = 0; i < 10; ++i) {
    const Mark mark;
    Child child = begin_shell(mark, "export again='exec sh -c \"$again\"'; exec sh -c \"$again\"");
    ::usleep(50'000);
    mark.kill_all();
    std::optional<Ending> ending;
    for (int tries = 0; tries < 500 && !ending; ++tries) {
      ::usleep(1000);
      ending = child.try_wait();
    }
    ASSERT_TRUE(ending.has_value()) << i;
  }
}

TEST(Mark, ChildrenInheritOneMarkAndTheOtherVariables) {
  ::setenv("NORMPROOF_CANDIDATE", "an older one", 1);
  const Mark mark;
  ::unsetenv("NORMPROOF_CANDIDATE");
  Child child =
      begin_shell(mark,
                  "test $(env | grep -c ^NORMPROOF_CANDIDATE=) = 1 && test -n \"$PATH\" && "
                  "test \"$NORMPROOF_CANDIDATE\" != 'an older one'");
  EXPECT_TRUE(child.wait().succeeded());
}

}  // namespace
}  // namespace normproof::verification::support::process
