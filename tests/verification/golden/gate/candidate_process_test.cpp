#include "verification/golden/gate/candidate_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

using Clock = std::chrono::steady_clock;

/// Much longer than any of these programs takes, and much shorter than a hanging test.
constexpr double kPatience = 20;

std::string refusal(const std::string& command, double seconds = kPatience) {
  CandidateProcess process(command);
  return file_message([&] { process.ask("question", seconds); });
}

TEST(CandidateProcess, AnswersLineByLine) {
  CandidateProcess process("while read -r a b; do echo \"$b $a\"; done");
  EXPECT_EQ(process.ask("one two", kPatience), "two one");
  EXPECT_EQ(process.ask("three four", kPatience), "four three");
  EXPECT_EQ(process.ask("", kPatience), " ");
}

TEST(CandidateProcess, LinesLongerThanAPipe) {
  CandidateProcess process("exec cat");
  // It begins to answer before it has read all.
  const std::string line(3'000'000, 'x');
  EXPECT_EQ(process.ask(line, kPatience), line);
  EXPECT_EQ(process.ask("short", kPatience), "short");
}

TEST(CandidateProcess, AnEndIsNamedByStatusOrSignal) {
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

TEST(CandidateProcess, AHangEndsWithTheTime) {
  const auto begin = Clock::now();
  EXPECT_EQ(refusal("sleep 60", 0.2), "the candidate did not answer within 0.2 s");
  EXPECT_EQ(refusal("printf half; exec sleep 60", 0.2),
            "the candidate did not answer within 0.2 s");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30));
}

TEST(CandidateProcess, OneLineACase) {
  EXPECT_EQ(refusal("read -r line; printf 'a\\nb\\n'"),
            "the candidate answered with more than one line; expected one a case");
  EXPECT_EQ(refusal("read -r line; printf 'a\\nb'"),
            "the candidate answered with more than one line; expected one a case");
}

TEST(CandidateProcess, AClosedOutputIsNoAnswer) {
  EXPECT_EQ(refusal("exec >&-; exec sleep 60"),
            "the candidate closed its standard output before it answered");
}

TEST(CandidateProcess, AClosedInputMayStillAnswer) {
  CandidateProcess process("exec <&-; sleep 0.1; echo done");
  EXPECT_EQ(process.ask(std::string(1'000'000, 'x'), kPatience), "done");
}

/// The process of that id, which is not ours to wait for, has ended.
bool has_ended(pid_t process) {
  for (int tries = 0; tries < 500; ++tries) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    if (!std::getline(status, text)) return true;
    if (text[text.rfind(')') + 2] == 'Z') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(CandidateProcess, NothingThatItBeganOutlivesIt) {
  pid_t self = 0, child = 0;
  {
    CandidateProcess process("sleep 300 & echo $$ $!; wait");
    std::istringstream answer(process.ask("", kPatience));
    answer >> self >> child;
    ASSERT_GT(self, 0);
    ASSERT_GT(child, 0);
    ASSERT_EQ(::kill(child, 0), 0);
  }
  EXPECT_TRUE(has_ended(self));
  EXPECT_TRUE(has_ended(child));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
