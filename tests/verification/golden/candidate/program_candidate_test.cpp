#include "verification/golden/candidate/program_candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/golden/candidate/recorded_outputs.hpp"

namespace normproof::verification::golden::candidate {

using certify::CaseDescription;
using gate::CaseResult;
using ref::numeric::error_message;
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ProgramCandidate : public RecordedOutputs {};

TEST_F(ProgramCandidate, ProgramThatPrintsTheReferencesOutputsPasses) {
  EXPECT_EQ(count_passed(check(make_program_candidate(candidate_command(), 20))), cases_.size());
}

TEST_F(ProgramCandidate, ProgramThatExitsIsRestarted) {
  // The program exits at the fourth case. The program that is started next gets the first prepared
  // line again.
  const std::string stumbling =
      candidate_command("case $line in " + cases_[3].path + "*) exit 7;; esac");
  const auto results = check(make_program_candidate(stumbling, 20));
  EXPECT_EQ(count_passed(results), 3u);
  EXPECT_EQ(results[3].problem, "the candidate ended with status 7 before it answered");
  for (std::size_t i = 4; i < results.size(); ++i)
    EXPECT_THAT(results[i].problem,
                HasSubstr("the line begins with '" + cases_[0].path.substr(0, 40) + "'"));
}

TEST_F(ProgramCandidate, GivesUpOnAProgramThatNeverAnswers) {
  const auto results =
      check(make_program_candidate("echo x >> '" + (folder_ / "starts").string() + "'", 20));
  EXPECT_EQ(count_passed(results), 0u);
  EXPECT_EQ(results[2].problem, "the candidate ended with status 0 before it answered");
  EXPECT_EQ(results[3].problem,
            "the candidate was started 3 times in a row without an answer; it is not asked again");
  EXPECT_EQ(fs::file_size(folder_ / "starts"), 6u);
  const auto more = check(make_program_candidate("true", 20, 5));
  EXPECT_EQ(more[4].problem, "the candidate ended with status 0 before it answered");
  EXPECT_THAT(more[5].problem, HasSubstr("started 5 times in a row"));
}

TEST_F(ProgramCandidate, CommandThatCannotRunIsAUsageError) {
  std::string heard;
  const auto hear = [&](const std::string& standard_error) { heard = standard_error; };
  EXPECT_THAT(
      error_message<ref::numeric::UsageError>(
          [&] { check(make_program_candidate("/no/such/program", 20, 3, hear)); }),
      AllOf(HasSubstr("the command is not run: the candidate ended "
                      "with status 127"),
            HasSubstr("/no/such/program: not found; expected one that reads a line a case")));
  EXPECT_EQ(heard, "");
  // A program that has returned an output once exists, even if it ends later.
  const auto later = check(make_program_candidate(
      "read -r line; head -n 1 '" + (folder_ / "lines").string() + "'; exit 127", 20));
  EXPECT_EQ(count_passed(later), 1u);
}

TEST_F(ProgramCandidate, HangingProgramFailsOnlyTheCurrentCase) {
  const std::string slow = "while read -r path rest; do [ \"$path\" = '" + cases_[1].path +
                           "' ] && sleep 60; grep -F " + "\"$path \" '" +
                           (folder_ / "lines").string() + "'; done";
  const auto results = check(make_program_candidate(slow, 1));
  EXPECT_EQ(results[1].problem, "the candidate did not answer within 1 s");
  EXPECT_EQ(count_passed(results), cases_.size() - 1);
}

TEST_F(ProgramCandidate, DeclinedCaseNeitherFailsNorPasses) {
  // The program declines the second case. It must not be restarted.
  const std::string declining =
      "echo x >> '" + (folder_ / "starts").string() + "'; " +
      candidate_command("case $line in " + cases_[1].path + "*) answer='" + cases_[1].path +
                        " not_offered no mask here';; esac");
  const auto results = check(make_program_candidate(declining, 20));
  EXPECT_EQ(count_passed(results), cases_.size() - 1);
  EXPECT_EQ(fs::file_size(folder_ / "starts"), 2u);
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].declined, i == 1) << i;
  EXPECT_FALSE(results[1].passed());
  EXPECT_EQ(results[1].problem, "no mask here");
  EXPECT_TRUE(results[1].tensors.empty());
  // A line with the path of another case is invalid.
  const auto other =
      check(make_program_candidate("while read -r line; do echo q not_offered; done", 20));
  EXPECT_FALSE(other[0].declined);
  EXPECT_THAT(other[0].problem, HasSubstr("begins with 'q'"));
}

TEST_F(ProgramCandidate, ReportedErrorFailsOnlyItsCase) {
  // The program reports an error for four cases in a row. A program without any output would be
  // given up after fewer starts.
  std::string failing = "case $line in ";
  for (int i = 1; i <= 4; ++i)
    failing += cases_[i].path + "*) answer='" + cases_[i].path + " error KeyError: eps';; ";
  const auto results = check(make_program_candidate(
      "echo x >> '" + (folder_ / "starts").string() + "'; " + candidate_command(failing + "esac"),
      20));
  EXPECT_EQ(count_passed(results), cases_.size() - 4);
  EXPECT_EQ(fs::file_size(folder_ / "starts"), 2u);
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(results[i].problem, "the candidate reports an error: KeyError: eps");
    EXPECT_FALSE(results[i].declined);
  }
}

/// Returns the command of a candidate that prints the prepared line for the path of each case. At
/// the cases from `first` to `last`, a signal kills it.
std::string make_crashing_candidate(const std::vector<CaseDescription>& cases, std::size_t first,
                                    std::size_t last, const fs::path& lines) {
  std::string paths = cases[first].path;
  for (std::size_t i = first + 1; i <= last; ++i) paths += "|" + cases[i].path;
  return "while read -r path rest; do case $path in " + paths +
         ") kill -SEGV $$;; esac; grep -F \"$path \" '" + lines.string() + "'; done";
}

TEST_F(ProgramCandidate, ProgramThatCrashesStillGetsTheOtherCases) {
  const auto results =
      check(make_program_candidate(make_crashing_candidate(cases_, 0, 9, folder_ / "lines"), 20));
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].problem,
              i <= 9 ? "the candidate was ended by signal 11 before it answered" : "")
        << i;
    EXPECT_EQ(results[i].passed(), i > 9) << i;
    EXPECT_FALSE(results[i].declined);
  }
}

TEST_F(ProgramCandidate, CrashingProgramIsRestartedMoreOftenIfItHasAnswered) {
  const std::string crash = "the candidate was ended by signal 11 before it answered";
  const auto never = check(make_program_candidate("kill -SEGV $$", 20, 1));
  EXPECT_EQ(never[7].problem, crash);
  EXPECT_THAT(never[8].problem, HasSubstr("was started 8 times in a row without an answer"));
  // The program returns the outputs of five cases before its first crash. Nine more crashes follow.
  const auto later = check(
      make_program_candidate(make_crashing_candidate(cases_, 5, 14, folder_ / "lines"), 20, 1));
  EXPECT_EQ(count_passed(later), cases_.size() - 10);
  EXPECT_EQ(later[14].problem, crash);
  // A shell reports a signal by its exit status.
  const auto told = check(make_program_candidate("sh -c 'kill -SEGV $$'; exit $?", 20, 1));
  EXPECT_THAT(told[7].problem, HasSubstr("ended with status 139 before it answered"));
  EXPECT_THAT(told[8].problem, HasSubstr("was started 8 times in a row"));
}

TEST_F(ProgramCandidate, StandardErrorOfTheProgramIsPrintedAfterTheLastCase) {
  std::vector<std::string> heard;
  const auto hear = [&heard](const std::string& last) { heard.push_back(last); };
  check(make_program_candidate(
      candidate_command("echo complaint >&2; case $line in " + cases_[3].path +
                        "*) echo the last word >&2; exit 7;; esac"),
      20, 3, hear));
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_THAT(heard[0], HasSubstr("complaint\ncomplaint\ncomplaint\ncomplaint\nthe last word\n"));
  heard.clear();
  const auto loud = check(make_program_candidate("yes x >&2", 1, 1, hear));
  EXPECT_EQ(loud[0].problem, "the candidate did not answer within 1 s");
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].size(), std::size_t{64} << 10);
  heard.clear();
  check(make_program_candidate(candidate_command(), 20, 3, hear));
  EXPECT_TRUE(heard.empty());
}

TEST_F(ProgramCandidate, FailsIfAnOutputIsTooLong) {
  const std::string flood = "read -r path rest; printf '%s y:float64:2 ' \"$path\"; exec yes -- -0";
  const auto results = check(make_program_candidate(flood + " | tr '\\n' ' '", 20, 1));
  EXPECT_THAT(results[0].problem, HasSubstr("bytes, which is more than the case needs"));
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
