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

TEST(Mark, EndsWhatCarriesItAndNothingElse) {
  const Mark mark, other;
  Child marked = begin_shell(mark, "sleep 300"), stranger = begin_shell(other, "sleep 300");
  std::optional<Ending> ending;
  for (int tries = 0; tries < 1000 && !ending; ++tries) {  // until it runs the shell
    mark.end_all();
    ::usleep(10'000);
    ending = marked.try_wait();
  }
  ASSERT_TRUE(ending.has_value());
  EXPECT_TRUE(ending->by_signal);
  EXPECT_EQ(ending->code, SIGKILL);
  EXPECT_FALSE(stranger.try_wait().has_value());
  // The sleep of its shell too: it holds the test's output, and CTest waits for that.
  other.end_all();
}

// A process amid execve shows no environment for a moment: this one is there most of the time.
TEST(Mark, EndsWhatBecomesAnotherProgramAgainAndAgain) {
  for (int i = 0; i < 10; ++i) {
    const Mark mark;
    Child child = begin_shell(mark, "export again='exec sh -c \"$again\"'; exec sh -c \"$again\"");
    ::usleep(50'000);
    mark.end_all();
    std::optional<Ending> ending;
    for (int tries = 0; tries < 500 && !ending; ++tries) {
      ::usleep(1000);
      ending = child.try_wait();
    }
    ASSERT_TRUE(ending.has_value()) << i;
  }
}

TEST(Mark, IsInheritedOnceBesideTheOtherVariables) {
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
