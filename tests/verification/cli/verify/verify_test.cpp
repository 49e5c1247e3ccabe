#include "verification/cli/verify/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/numeric/errors.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/small_corpus.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using tests::ref::io::TemporaryFolder;

TEST(VerifyOptions, ParsesEveryOptionAndHasDefaults) {
  const auto plain = parse_command<VerifyCommand>({});
  EXPECT_EQ(plain.claims, "*");
  EXPECT_EQ(plain.seed, 1u);
  EXPECT_EQ(plain.cases, 1000u);
  EXPECT_EQ(plain.jobs, processor_count());
  EXPECT_FALSE(plain.proofs || plain.smt || plain.power || plain.reports.file("--markdown"));
  EXPECT_FALSE(plain.files.data || plain.files.vocab || plain.reports.file("--json") ||
               plain.reports.file("--junit") || plain.reports.file("--html"));
  const auto full =
      parse_command<VerifyCommand>({"--claims", "A*,B1",   "--seed=18446744073709551615",
                                    "--cases",  "5",       "--jobs",
                                    "3",        "--data",  "d.txt",
                                    "--vocab",  "v.txt",   "--json",
                                    "r.json",   "--junit", "r.xml",
                                    "--html",   "r.html",  "--proofs",
                                    "--smt",    "--power", "--markdown",
                                    "r.md"});
  EXPECT_EQ(full.claims, "A*,B1");
  EXPECT_EQ(full.seed, 18446744073709551615u);
  EXPECT_EQ(full.cases, 5u);
  EXPECT_EQ(full.jobs, 3);
  EXPECT_EQ(full.files.data, "d.txt");
  EXPECT_EQ(full.files.vocab, "v.txt");
  EXPECT_EQ(full.reports.file("--json"), "r.json");
  EXPECT_EQ(full.reports.file("--junit"), "r.xml");
  EXPECT_EQ(full.reports.file("--html"), "r.html");
  EXPECT_TRUE(full.proofs && full.smt && full.power);
  EXPECT_EQ(full.reports.file("--markdown"), "r.md");
}

TEST(VerifyOptions, EachErrorIsReportedInOneSentence) {
  const auto refused = [](const Arguments& arguments, const std::string& what) {
    EXPECT_THAT(refusal<VerifyCommand>(arguments), HasSubstr(what));
  };
  refused({"--claim", "A"}, "unknown option '--claim'; did you mean '--claims'?");
  refused({"--claim=A"}, "unknown option '--claim'; did you mean '--claims'?");
  refused({"A3"}, "unexpected argument 'A3' of verify");
  refused({"--seed", "-1"}, "--seed is '-1'; expected a whole number from 0");
  refused({"--seed", "1.5"}, "--seed is '1.5'");
  refused({"--seed", "18446744073709551616"}, "--seed is '18446744073709551616'");
  refused({"--seed", ""}, "--seed is ''");
  refused({"--seed"}, "--seed is given without a value; expected N: Seed of every random choice");
  refused({"--cases", "0"}, "--cases is '0'; expected a whole number from 1");
  refused({"--jobs", "0"}, "--jobs is '0'; expected a whole number from 1 to 1024");
  refused({"--html", ""}, "--html is ''; expected the name of a file");
  refused({"--seed", "1", "--seed", "2"}, "--seed is given more than once; expected once");
}

// Runs the command twice, with different numbers of jobs, folders, locales, time zones and widths.
TEST(Verify, ReportsHaveTheSameBytesInAnyEnvironment) {
  const TemporaryFolder a;
  const TemporaryFolder b;
  const TemporaryFolder corpus;
  const std::string arguments =
      " verify --claims 'T*,A5,D13' --cases 20 --seed 3 --json r.json --junit r.xml --html r.html" +
      write_small_corpus(corpus.path());
  const Outcome first = run("cd '" + a.path().string() + "'; $N" + arguments + " --jobs 1");
  const Outcome second = run("cd '" + b.path().string() +
                             "'; LC_ALL=C.UTF-8 TZ=Asia/Tokyo COLUMNS=40 OMP_NUM_THREADS=1 $N" +
                             arguments + " --jobs 3");
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(first.out, second.out);
  EXPECT_THAT(first.out, AllOf(HasSubstr("T1     holds"), HasSubstr("D13    refuted, as expected"),
                               HasSubstr("sentences.txt"), HasSubstr("PASSED: 7 claims")));
  for (const char* file : {"r.json", "r.xml", "r.html"}) {
    EXPECT_GT(read_file(a / file).size(), 200u) << file;
    EXPECT_EQ(read_file(a / file), read_file(b / file)) << file;
  }
  const auto json = nlohmann::json::parse(read_file(a / "r.json"));
  EXPECT_EQ(json.at("claims").size(), 7u);
  for (const auto& claim : json.at("claims")) {
    EXPECT_GE(claim.at("cases"), 20) << claim.at("id");
    EXPECT_EQ(claim.at("as_expected"), true) << claim.at("id");
  }
  EXPECT_EQ(json.at("nu_series").size(), 3u);
  EXPECT_EQ(json["nu_series"][0].at("nu").size(), 100u);
  // No other files are left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(a.path()), {}), 3);
}

// The sensitivity of a check must have the same bits for any number of jobs.
TEST(Verify, MeasuresTheSensitivityOfEachClaim) {
  const TemporaryFolder folder;
  const std::string begin = "cd '" + folder.path().string() + "'; $N verify --claims 'B3,B4'" +
                            write_small_corpus(folder.path());
  const Outcome one = run(begin + " --cases 20 --power --jobs 1 --markdown one.md");
  const Outcome two = run(begin + " --cases 20 --power --jobs 2 --markdown two.md");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_THAT(one.out, HasSubstr("B4     proved    batch_norm's grad_x + δ grad_y: from δ = 2^-1"));
  EXPECT_EQ(read_file(folder / "one.md"), read_file(folder / "two.md"));
  EXPECT_THAT(read_file(folder / "one.md"),
              HasSubstr("| B4 | mean of the BatchNorm gradient | holds |"));
}

TEST(Verify, ComputesStatisticsOfRealSentences) {
  using tests::ref::data::find_shared_data_folder;
  using tests::ref::data::shared_data_exists;
  const char* const sentences = "financial_phrasebank/Sentences_AllAgree.txt";
  if (!shared_data_exists(sentences))
    GTEST_SKIP() << "the real data is not in " << find_shared_data_folder();
  const Report report =
      make_report({.claims = "T2",
                   .cases = 1,
                   .files = {find_shared_data_folder() / sentences,
                             find_shared_data_folder() / "bert_base_uncased/vocab.txt"}});
  EXPECT_EQ(report.corpus, "Sentences_AllAgree.txt");
  EXPECT_EQ(report.statistics.corpus.sentences, 2264u);
  EXPECT_EQ(report.statistics.corpus.tokens, 68295u);
  EXPECT_EQ(report.statistics.corpus.longest, 150u);
  EXPECT_EQ(report.claims.size(), 1u);
  EXPECT_TRUE(succeeded(report));
}

TEST(Verify, RejectsAnEmptySelectionBeforeAnyWork) {
  EXPECT_THROW(make_report({.claims = "Q*"}), UsageError);
  EXPECT_THAT(error_message<UsageError>([] { make_report({.claims = "T4,Q9"}); }),
              HasSubstr("'Q9' matches no claim; known: T1, "));
  EXPECT_THAT(error_message<UsageError>([] { make_report({.claims = "T4,"}); }),
              HasSubstr("'T4,' has an empty glob"));
}

TEST(Verify, ChecksOutputsBeforeTheWork) {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "a@neutral\r\n");
  const auto verify_with = [](const VerifyCommand& command) {
    return [command] { tool::run_command(command); };
  };
  EXPECT_THAT(verify_with({.reports = make_report_options({{"--html", folder / "absent/r.html"}})}),
              ThrowsMessage<FileError>(HasSubstr("does not exist")));
  EXPECT_THAT(verify_with({.reports = make_report_options({{"--json", folder.path()}})}),
              ThrowsMessage<FileError>(HasSubstr("it is a folder")));
  EXPECT_THAT(verify_with({.reports = make_report_options(
                               {{"--json", folder / "r"}, {"--html", folder / "r"}})}),
              ThrowsMessage<UsageError>(HasSubstr("--json and --html name the same file")));
  EXPECT_THAT(verify_with({.reports = make_report_options(
                               {{"--json", folder / "r"}, {"--html", folder / "." / "r"}})}),
              ThrowsMessage<UsageError>(HasSubstr("--json and --html name the same file")));
  EXPECT_THAT(verify_with({.files = {folder / "s.txt", folder / "v.txt"},
                           .reports = make_report_options({{"--junit", folder / "." / "s.txt"}})}),
              ThrowsMessage<UsageError>(HasSubstr("--data and --junit name the same file")));
  EXPECT_EQ(read_file(folder / "s.txt"), "a@neutral\r\n");
}

TEST(Verify, FailedOutputDoesNotAffectTheOthers) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run("cd '" + folder.path().string() + "'; $N verify --claims T4 --cases 5" +
          write_small_corpus(folder.path()) + " --json /dev/full --html r.html");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("/dev/full"));
  EXPECT_THAT(outcome.out, HasSubstr("PASSED: 1 claim"));
  EXPECT_THAT(read_file(folder / "r.html"), HasSubstr("</html>"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
