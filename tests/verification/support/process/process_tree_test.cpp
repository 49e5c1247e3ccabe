#include "verification/support/process/process_tree.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "ref/io/descriptor.hpp"
#include "tests/verification/support/process/has_ended.hpp"
#include "verification/support/process/lines.hpp"
#include "verification/support/process/pipe.hpp"

namespace normproof::verification::support::process {
namespace {

/// Runs a shell command whose output goes to a pipe.
struct ShellCommand {
  Pipe pipe = make_pipe("pipe");
  ProcessTree tree;
  LineReader lines{pipe.reading.get()};

  explicit ShellCommand(const std::string& command) {
    tree = ProcessTree("fork", [&] {
      ::dup2(pipe.writing.get(), STDOUT_FILENO);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      return 127;
    });
    pipe.writing.close();
  }

  /// Reads the process id that the command prints next. Returns 0 if there is none.
  pid_t read_process_id() {
    const auto line = lines.next();
    return line ? std::stoi(*line) : 0;
  }

  ProcessEnding wait() {
    std::optional<ProcessEnding> ending;
    for (int tries = 0; tries < 10'000 && !ending; ++tries) {
      ending = tree.try_wait();
      ::usleep(1000);
    }
    return ending.value_or(ProcessEnding{false, -1});
  }
};

TEST(ProcessTree, EndsWithTheStatusOfItsChild) {
  EXPECT_EQ(ShellCommand("exit 0").wait().to_text(), "status 0");
  EXPECT_EQ(ShellCommand("exit 3").wait().to_text(), "status 3");
  EXPECT_EQ(ShellCommand("kill -SEGV $$").wait().to_text(), "signal 11 (Segmentation fault)");
  EXPECT_EQ(ShellCommand("kill -TERM $$").wait().to_text(), "signal 15 (Terminated)");
  EXPECT_EQ(ShellCommand("kill -KILL $$").wait().to_text(), "signal 9 (Killed)");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ProcessTree, KillsDescendantsWithTheirAncestor) {
  pid_t child = 0, grandchild = 0;
  {
    ShellCommand shell("sh -c 'sleep 300 & echo $!; wait' & echo $!; wait");
    child = shell.read_process_id();
    grandchild = shell.read_process_id();
    ASSERT_GT(std::min(child, grandchild), 0);
    ASSERT_EQ(::kill(grandchild, 0), 0);
  }
  EXPECT_TRUE(has_ended(child));
  EXPECT_TRUE(has_ended(grandchild));
}

TEST(ProcessTree, KillsDescendantsOnceTheChildHasEnded) {
  ShellCommand shell("sleep 300 & echo $!; exit 3");
  const pid_t child = shell.read_process_id();
  ASSERT_GT(child, 0);
  EXPECT_EQ(shell.wait().to_text(), "status 3");
  EXPECT_TRUE(has_ended(child));
}

TEST(ProcessTree, KillsADetachedDescendantWithAnEmptyEnvironment) {
  pid_t descendant = 0;
  {
    // The shell that starts the descendant exits, so that the descendant has no parent in the tree.
    ShellCommand shell(
        "setsid env -i sh -c 'sh -c \"echo \\$\\$; exec sleep 300\" &' & exec sleep 300");
    descendant = shell.read_process_id();
    ASSERT_GT(descendant, 0);
    ASSERT_NE(::getsid(descendant), ::getsid(0));
  }
  EXPECT_TRUE(has_ended(descendant));
}

TEST(ProcessTree, KillsNoProcessOfAnotherTree) {
  ShellCommand other("setsid sh -c 'echo $$; exec sleep 300' & wait");
  const pid_t stranger = other.read_process_id();
  ASSERT_GT(stranger, 0);
  {
    ShellCommand shell("setsid sh -c 'echo $$; exec sleep 300' & wait");
    ASSERT_GT(shell.read_process_id(), 0);
  }
  EXPECT_EQ(::kill(stranger, 0), 0);
  EXPECT_FALSE(other.tree.try_wait().has_value());
}

TEST(ProcessTree, KillsAProcessThatKeepsCallingExecve) {
  for (int i = 0; i < 10; ++i) {
    std::optional<ShellCommand> shell;
    shell.emplace("echo $$; export again='exec sh -c \"$again\"'; exec sh -c \"$again\"");
    const pid_t child = shell->read_process_id();
    ASSERT_GT(child, 0);
    ::usleep(20'000);
    shell.reset();
    EXPECT_TRUE(has_ended(child));
  }
}

TEST(ProcessTree, KillsProcessesThatKeepStartingOthers) {
  pid_t first = 0;
  {
    ShellCommand shell(
        "export again='sh -c \"$again\" & exit'; echo $$; sh -c \"$again\"; exec sleep 300");
    first = shell.read_process_id();
    ASSERT_GT(first, 0);
    ::usleep(20'000);
  }
  EXPECT_TRUE(has_ended(first));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessTree, EndsWithTheProcessThatStartedIt) {
  Pipe pipe = make_pipe("pipe");
  Child parent = Child::begin("fork", [&] {
    ShellCommand shell("setsid sh -c 'echo $$; exec sleep 300' & wait");
    ref::io::write_all(pipe.writing.get(), std::to_string(shell.read_process_id()) + "\n");
    return sleep_for_ever();
  });
  const auto line = LineReader(pipe.reading.get()).next();
  ASSERT_TRUE(line);
  parent.kill();
  parent.wait();
  EXPECT_TRUE(has_ended(std::stoi(*line)));
}

TEST(ProcessTree, KeepsNoPipeOpen) {
  ShellCommand shell("exec >&-; exec sleep 300");
  pollfd end = {shell.pipe.reading.get(), POLLIN, 0};
  constexpr int kTimeoutMilliseconds = 20'000;
  EXPECT_EQ(::poll(&end, 1, kTimeoutMilliseconds), 1);
  EXPECT_EQ(end.revents & (POLLIN | POLLHUP), POLLHUP);
  EXPECT_FALSE(shell.tree.try_wait().has_value());
}

TEST(ProcessTree, AssignmentEndsTheFormerTree) {
  ShellCommand shell("echo $$; exec sleep 300");
  const pid_t child = shell.read_process_id();
  ASSERT_GT(child, 0);
  ProcessTree moved = std::move(shell.tree);
  EXPECT_EQ(::kill(child, 0), 0);
  moved = {};
  EXPECT_TRUE(has_ended(child));
}

}  // namespace
}  // namespace normproof::verification::support::process
