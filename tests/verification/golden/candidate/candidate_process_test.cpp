#include "verification/golden/candidate/candidate_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::candidate {
namespace {

using Clock = std::chrono::steady_clock;

/// The time limit in seconds. It is much longer than any of these programs takes, and much shorter
/// than the limit of a test that hangs.
constexpr double kTimeLimitSeconds = 20;
constexpr std::size_t kMaxOutputBytes = 4'000'000;

std::string refusal(const std::string& command, double seconds = kTimeLimitSeconds) {
  CandidateProcess process(command);
  return file_error_message([&] { process.query("question", seconds, kMaxOutputBytes); });
}

TEST(CandidateProcess, ReturnsOneLinePerLineSent) {
  CandidateProcess process("while read -r a b; do echo \"$b $a\"; done");
  EXPECT_EQ(process.query("one two", kTimeLimitSeconds, kMaxOutputBytes), "two one");
  EXPECT_EQ(process.query("three four", kTimeLimitSeconds, kMaxOutputBytes), "four three");
  EXPECT_EQ(process.query("", kTimeLimitSeconds, kMaxOutputBytes), " ");
}

TEST(CandidateProcess, HandlesLinesLongerThanAPipe) {
  CandidateProcess process("exec cat");
  // cat starts to answer before it has read the whole line.
  const std::string line(3'000'000, 'x');
  EXPECT_EQ(process.query(line, kTimeLimitSeconds, kMaxOutputBytes), line);
  EXPECT_EQ(process.query("short", kTimeLimitSeconds, kMaxOutputBytes), "short");
}

TEST(CandidateProcess, ReportsTheExitStatusOrSignal) {
  EXPECT_EQ(refusal("exit 3"), "the candidate ended with status 3 before it answered");
  EXPECT_EQ(refusal("read -r line; exit 0"),
            "the candidate ended with status 0 before it answered");
  EXPECT_EQ(refusal("no-such-program-anywhere 2> /dev/null"),
            "the candidate ended with status 127 before it answered");
  EXPECT_EQ(refusal("read -r line; kill -SEGV $$"),
            "the candidate was ended by signal 11 before it answered");
  EXPECT_EQ(refusal("printf 'half an answer'; exit 1"),
            "the candidate ended with status 1 before it answered");
}

/// Runs a command to its end. Then returns the result of the member function `recognizes` of the
/// process.
bool run_and_recognize_end(const std::string& command,
                           bool (CandidateProcess::*recognizes)() const) {
  CandidateProcess process(command);
  EXPECT_FALSE((process.*recognizes)());
  file_error_message([&] { process.query("question", kTimeLimitSeconds, kMaxOutputBytes); });
  return (process.*recognizes)();
}

TEST(CandidateProcess, DistinguishesACommandThatCannotRunFromAnExit) {
  const auto could_not_run = [](const char* command) {
    return run_and_recognize_end(command, &CandidateProcess::could_not_run);
  };
  EXPECT_TRUE(could_not_run("no-such-program-anywhere"));
  EXPECT_TRUE(could_not_run("/dev/null"));
  EXPECT_FALSE(could_not_run("exit 3"));
  EXPECT_FALSE(could_not_run("exit 128"));
  EXPECT_FALSE(could_not_run("kill -SEGV $$"));
}

TEST(CandidateProcess, DistinguishesACrashFromAnExit) {
  const auto crashes = [](const char* command) {
    return run_and_recognize_end(command, &CandidateProcess::crashed);
  };
  EXPECT_TRUE(crashes("kill -SEGV $$"));
  EXPECT_TRUE(crashes("read -r line; exit 134"));
  EXPECT_FALSE(crashes("read -r line; exit 128"));
  EXPECT_FALSE(crashes("exit 255"));
  EXPECT_FALSE(crashes("exit 3"));
}

TEST(CandidateProcess, HangingProgramIsEndedAtTheTimeLimit) {
  const auto begin = Clock::now();
  EXPECT_EQ(refusal("sleep 60", 0.2), "the candidate did not answer within 0.2 s");
  EXPECT_EQ(refusal("printf half; exec sleep 60", 0.2),
            "the candidate did not answer within 0.2 s");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30));
}

TEST(CandidateProcess, ReportsTheLastLineOfStandardErrorOnExit) {
  EXPECT_EQ(refusal("read -r line; printf 'first\n  ImportError: torch\n\n' >&2; exit 1"),
            "the candidate ended with status 1 before it answered; its standard error ends with: "
            "  ImportError: torch");
  EXPECT_THAT(refusal("read -r line; head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1"),
              ::testing::EndsWith(": " + std::string(200, 'x')));
}

TEST(CandidateProcess, ErrorQuotesTheEndOfStandardError) {
  CandidateProcess process("read -r line; seq 100000 >&2; echo done; read -r line");
  EXPECT_EQ(process.query("", kTimeLimitSeconds, kMaxOutputBytes), "done");
  const std::string heard = process.standard_error();
  EXPECT_EQ(heard.size(), std::size_t{64} << 10);
  EXPECT_THAT(heard, ::testing::EndsWith("\n99999\n100000\n"));
}

TEST(CandidateProcess, RejectsOutputLongerThanTheLimit) {
  CandidateProcess process("read -r line; exec cat /dev/zero");
  EXPECT_EQ(file_error_message([&] { process.query("", kTimeLimitSeconds, 1000); }),
            "the candidate's answer has more than 1000 bytes, which is more than the case needs; "
            "expected one line");
}

TEST(CandidateProcess, AcceptsTheOutputOfAProgramThatThenExits) {
  for (int tries = 0; tries < 20; ++tries) {
    CandidateProcess process("read -r line; echo last");
    EXPECT_EQ(process.query("", kTimeLimitSeconds, kMaxOutputBytes), "last");
    EXPECT_EQ(file_error_message([&] { process.query("", kTimeLimitSeconds, kMaxOutputBytes); }),
              "the candidate ended with status 0 before it answered");
  }
}

TEST(CandidateProcess, RejectsSeveralLinesForACase) {
  EXPECT_EQ(refusal("read -r line; printf 'a\\nb\\n'"),
            "the candidate answered with more than one line; expected one a case");
  EXPECT_EQ(refusal("read -r line; printf 'a\\nb'"),
            "the candidate answered with more than one line; expected one a case");
}

TEST(CandidateProcess, ClosedStandardOutputIsAnError) {
  EXPECT_EQ(refusal("exec >&-; exec sleep 60"),
            "the candidate closed its standard output before it answered");
}

TEST(CandidateProcess, ProgramMayAnswerAfterClosingItsInput) {
  CandidateProcess process("exec <&-; sleep 0.1; echo done");
  EXPECT_EQ(process.query(std::string(1'000'000, 'x'), kTimeLimitSeconds, kMaxOutputBytes), "done");
}

/// Waits for a process that is not a child of this one. Returns whether it has ended.
bool wait_until_ended(pid_t process) {
  for (int tries = 0; tries < 500; ++tries) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    if (!std::getline(status, text)) return true;
    if (text[text.rfind(')') + 2] == 'Z') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(CandidateProcess, EndsItsChildProcesses) {
  pid_t self = 0, child = 0;
  {
    CandidateProcess process("sleep 300 & echo $$ $!; wait");
    std::istringstream answer(process.query("", kTimeLimitSeconds, kMaxOutputBytes));
    answer >> self >> child;
    ASSERT_GT(self, 0);
    ASSERT_GT(child, 0);
    ASSERT_EQ(::kill(child, 0), 0);
  }
  EXPECT_TRUE(wait_until_ended(self));
  EXPECT_TRUE(wait_until_ended(child));
}

TEST(CandidateProcess, EndsProcessesInAnotherSession) {
  pid_t child = 0;
  {
    CandidateProcess process("setsid sh -c 'echo $$; exec sleep 300' & wait");
    std::istringstream(process.query("", kTimeLimitSeconds, kMaxOutputBytes)) >> child;
    ASSERT_GT(child, 0);
    ASSERT_EQ(::getsid(child), child);
  }
  EXPECT_TRUE(wait_until_ended(child));
}

TEST(CandidateProcess, EndsProcessesLeftByAnExitedProgram) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string file = (folder / "child").string();
  const auto begin = Clock::now();
  // The child keeps the output open, so that its end alone shows nothing.
  EXPECT_EQ(refusal("sleep 300 & echo $! > '" + file + "'; exit 3"),
            "the candidate ended with status 3 before it answered");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
  pid_t child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  EXPECT_TRUE(wait_until_ended(child));
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
