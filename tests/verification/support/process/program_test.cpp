#include "verification/support/process/program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace normproof::verification::support::process {
namespace {

ProgramResult run_shell(const std::string& command, std::string_view input = {}) {
  return run_program({"sh", "-c", command}, input, {"PATH=/usr/bin:/bin", "GIVEN=yes"});
}

TEST(RunProgram, PassesInputAndReturnsBothOutputs) {
  const ProgramResult result = run_shell("cat; echo $GIVEN $HOME >&2; exit 4", "text\nwithout end");
  EXPECT_EQ(result.out, "text\nwithout end");
  EXPECT_EQ(result.err, "yes\n");
  EXPECT_EQ(result.ending.to_text(), "status 4");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunProgram, LargeInputAndOutputDoNotBlock) {
  const std::string much(5'000'000, 'x');  // far more than a pipe holds
  const ProgramResult result = run_shell("head -c 3000000 /dev/zero >&2; cat", much);
  EXPECT_EQ(result.out, much);
  EXPECT_EQ(result.err.size(), 3'000'000u);
  const ProgramResult unread = run_shell("exit 0", much);
  EXPECT_TRUE(unread.ending.succeeded());
}

TEST(RunProgram, ReportsTheSignalThatEndedTheProgram) {
  const ProgramResult result = run_shell("echo before; kill -SEGV $$");
  EXPECT_EQ(result.out, "before\n");
  EXPECT_EQ(result.ending.to_text(), "signal 11 (Segmentation fault)");
  EXPECT_FALSE(result.ending.succeeded());
}

TEST(RunProgram, RejectsAProgramThatDoesNotExist) {
  try {
    run_program({"no-such-program-anywhere"}, "", {});
    FAIL() << "started";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_TRUE(std::string(error.what()).starts_with("no-such-program-anywhere: "));
  }
}

}  // namespace
}  // namespace normproof::verification::support::process
