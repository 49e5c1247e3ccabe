#include "verification/cli/regress/regress_compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

// Runs the program to record candidates and to compare the recordings.
namespace normproof::tests::verification::cli::regress {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A test fixture with a corpus of three cases, and a candidate program that reads its outputs from
/// a folder.
class RegressProgram : public ::testing::Test {
 protected:
  RegressProgram() : enter_(std::string("cd '") + folder_.path().string() + "'; ") {
    EXPECT_EQ(in("$N golden make --out g --only 'quick/layer_norm/one_*'").status, 0);
    EXPECT_EQ(in("$N golden export --golden g --format text --out t").status, 0);
  }

  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome record(const std::string& more) const {
    return in("$N regress record --golden g --history h.jsonl " + more);
  }
  Outcome compare(const std::string& more = "") const {
    return in("$N regress compare --history h.jsonl " + more);
  }

  /// Returns the command of a candidate that prints the exact results after the sed command `edit`
  /// has changed them.
  std::string make_pipe_command(const std::string& edit) const {
    return "--timeout 5 --pipe 'while read -r path rest; do grep \"^$path \" t/expected.txt | sed "
           "\"" +
           edit + "\"; done' ";
  }
  /// Returns the command of a candidate that truncates every number to three hexadecimal digits
  /// after the point. Its relative error is up to 2^-12.
  std::string truncating_candidate() const {
    return make_pipe_command("s/\\(0x1[.][0-9a-f]\\{3\\}\\)[0-9a-f]*p/\\1p/g");
  }

  void refused(const Outcome& outcome, int status, const std::string& what) const {
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(what));
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(RegressCompareOptions, ParsesEveryOption) {
  const auto plain = parse_command<tool::regress::RegressCompareCommand>({"--history", "h"});
  EXPECT_EQ(plain.history, "h");
  EXPECT_FALSE(plain.from || plain.to || plain.allow_towards || plain.reports.file("--html") ||
               plain.reports.file("--json") || plain.reports.file("--junit"));
  const auto full = parse_command<tool::regress::RegressCompareCommand>(
      {"--history", "h", "--from", "a", "--to", "@2", "--allow", "towards", "--html", "r.html",
       "--json", "r.json", "--junit", "r.xml"});
  EXPECT_EQ(full.from, "a");
  EXPECT_EQ(full.to, "@2");
  EXPECT_TRUE(full.allow_towards);
  EXPECT_EQ(full.reports.file("--html"), "r.html");
  EXPECT_EQ(full.reports.file("--json"), "r.json");
  EXPECT_EQ(full.reports.file("--junit"), "r.xml");
}

TEST(RegressCompareOptions, ErrorsNameInvalidOptions) {
  const auto refused = [](const Arguments& arguments, const std::string& what) {
    EXPECT_THAT(refusal<tool::regress::RegressCompareCommand>(arguments), HasSubstr(what));
  };
  refused({}, "--history is required");
  refused({"--history", "h", "--form", "a"}, "unknown option '--form'; did you mean '--from'?");
  refused({"--history", "h", "--allow", "toward"}, "did you mean 'towards'?");
  refused({"--history", "h", "x"}, "unexpected argument 'x' of compare");
}

TEST_F(RegressProgram, EqualRecordingsDoNotDiffer) {
  const Outcome first = record("--self --label v1");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_THAT(first.out,
              AllOf(StartsWith("h.jsonl: line 1 'v1': 3 cases, "), EndsWith(" outputs\n")));
  EXPECT_EQ(record("--self --jobs 1").status, 0);
  const Outcome same = compare();
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("\nSAME 'v1' -> @2: "));
  EXPECT_EQ(compare("--from @2 --to v1").status, 0);
}

TEST_F(RegressProgram, DistinguishesLessAndMoreAccurateChanges) {
  EXPECT_EQ(record(make_pipe_command("") + "--label exact").status, 0);
  EXPECT_EQ(record(truncating_candidate() + "--label rough").status, 0);
  const Outcome away = compare("--json r.json --junit r.xml --html r.html");
  EXPECT_EQ(away.status, 1);
  EXPECT_THAT(away.out, AllOf(HasSubstr("\naway     quick/layer_norm/one_"),
                              HasSubstr("\nMOVED 'exact' -> 'rough': "),
                              HasSubstr(": 0 towards the truth, ")));
  const auto stored = nlohmann::json::parse(read_file(folder_ / "r.json"));
  EXPECT_EQ(stored["passed"], false);
  EXPECT_GT(stored["movements"].size(), 3u);
  for (const auto& movement : stored["movements"]) {
    EXPECT_EQ(movement["direction"], "away");
    EXPECT_LT(movement["before"]["max_ulp"], 0.51);
    EXPECT_LE(movement["max_ulp"], 1 << 12);
  }
  EXPECT_THAT(read_file(folder_ / "r.xml"), HasSubstr("<failure message="));
  EXPECT_THAT(read_file(folder_ / "r.html"), HasSubstr("outcome bad"));
  EXPECT_EQ(compare("--allow towards").status, 1);
  const Outcome towards = compare("--from rough --to exact");
  EXPECT_EQ(towards.status, 1);
  EXPECT_THAT(towards.out, AllOf(HasSubstr("\ntowards  quick/"), HasSubstr(", 0 away, 0 neither")));
  EXPECT_EQ(compare("--from rough --to exact --allow towards").status, 0);
}

TEST_F(RegressProgram, RecordsAFolderOfOutputsAndReportsAMissingOne) {
  EXPECT_EQ(in("cp -r g a && cp -r g c && rm -r c/quick/layer_norm/one_row*").status, 0);
  EXPECT_EQ(record("--candidate a --label all").status, 0);
  const Outcome missing = record("--candidate c --label some");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.out, HasSubstr("\nNO ANSWER to quick/layer_norm/one_row-1x6-float32: "));
  const Outcome compared = compare();
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("one_row-1x6-float32: has no answer any more: "));
}

TEST_F(RegressProgram, RecordsNothingIfNoCaseHasAnOutput) {
  EXPECT_EQ(record("--self").status, 0);
  const std::string before = read_file(folder_ / "h.jsonl");
  refused(record("--pipe 'exit 9'"), 3, "no case was answered, so nothing is recorded");
  EXPECT_EQ(in("mkdir empty").status, 0);
  refused(record("--candidate empty"), 3, "no case was answered");
  EXPECT_EQ(read_file(folder_ / "h.jsonl"), before);
}

TEST_F(RegressProgram, ReportsErrorsBeforeTheWork) {
  refused(compare(), 3, "h.jsonl: there is no such file; expected a history");
  EXPECT_EQ(record("--self --label v1").status, 0);
  refused(compare(), 3, "h.jsonl: has one recording; expected two or more");
  refused(record("--self --label v1"), 2, "--label 'v1' is that of line 1 already");
  refused(record("--self --only nothing"), 2, "--only 'nothing' names no case");
  refused(record("--candidate absent"), 3, "absent: there is no such folder");
  refused(record("--candidate g"), 2, "--candidate g is the corpus itself; expected");
  refused(in("$N regress record --golden absent --history h.jsonl --self"), 3, "absent");
  refused(in("$N regress record --golden g --history absent/h --self"), 3, "absent");
  EXPECT_EQ(record("--self --label v2").status, 0);
  refused(compare("--from v3"), 2, "unknown --from 'v3'; did you mean 'v");
  refused(compare("--to v1"), 2, "--to is the first recording; expected --from as well");
  refused(compare("--from v1 --to @1"), 2, "--from and --to are both 'v1'");
  refused(compare("--json h.jsonl"), 2, "name the same file");
  refused(compare("--json r --html ./r"), 2, "name the same file");
}

TEST_F(RegressProgram, DamagedHistoryIsNeitherReadNorExtended) {
  EXPECT_EQ(record("--self --label v1").status, 0);
  EXPECT_EQ(record("--self --label v2").status, 0);
  EXPECT_EQ(in("truncate -s -40 h.jsonl").status, 0);
  const std::string cut_off = read_file(folder_ / "h.jsonl");
  refused(compare(), 3, "h.jsonl: line 2 is cut off");
  refused(record("--self"), 3, "h.jsonl: line 2 is cut off");
  EXPECT_EQ(read_file(folder_ / "h.jsonl"), cut_off);
  EXPECT_EQ(in(": > h.jsonl").status, 0);
  refused(compare(), 3, "h.jsonl");
  refused(record("--self"), 3, "h.jsonl");
}

TEST_F(RegressProgram, FullDiskIsReported) {
  EXPECT_EQ(record("--self").status, 0);
  EXPECT_EQ(record("--self").status, 0);
  const Outcome full = compare("--json /dev/full --html r.html");
  EXPECT_EQ(full.status, 3);
  EXPECT_THAT(full.err, HasSubstr("/dev/full"));
  EXPECT_THAT(read_file(folder_ / "r.html"), HasSubstr("outcome good"));
  EXPECT_EQ(compare("> /dev/full").status, 3);
  EXPECT_EQ(record("--self > /dev/full").status, 3);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::regress
