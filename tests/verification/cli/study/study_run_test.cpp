#include "verification/cli/study/study_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/cli/shared_options.hpp"

// Runs `normproof study` on cells of a few steps with the synthetic corpus.
namespace normproof::tests::verification::cli::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class StudyProgram : public ::testing::Test {
 protected:
  StudyProgram() : enter_("cd '" + folder_.path().string() + "'; ") {}
  Outcome in(const std::string& command) const {
    return run(enter_ + "C=" + cells() + "\n" + command);
  }
  static std::string cells() {
    std::string names;
    for (const char* cell :
         {"layer_norm/rate-1e-2", "none/rate-10", "power_norm/rate-10", "batch_norm/rate-1e-2"})
      names +=
          std::string(names.empty() ? "" : ",") + "corrected/1x32/" + cell + "/seed-42/steps-4";
    return names;
  }
  std::string results(const std::string& folder) const {
    return read_file(folder_ / folder / "results.jsonl");
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(StudyRunOptions, ParsesEveryOption) {
  const auto given = parse_command<tool::study::StudyRunCommand>(
      {"--out", "o", "--tables", "1,4", "--jobs", "3", "--data", "d", "--vocab", "v",
       "--validation", "n", "--json"});
  EXPECT_EQ(given.out, "o");
  EXPECT_EQ(given.job_count(), 3);
  EXPECT_TRUE(given.json);
  EXPECT_EQ(given.source.files.data, "d");
  EXPECT_EQ(given.source.files.vocab, "v");
  EXPECT_EQ(given.source.validation, "n");
  EXPECT_THAT(given.selection.selection().tables, testing::ElementsAre(1U, 4U));
  EXPECT_THAT(refusal<tool::study::StudyRunCommand>({}), HasSubstr("--out is required"));
}

TEST(StudyRunOptions, DefaultDeviceIsTheProcessor) {
  using normproof::gpu::device::Backend;
  EXPECT_FALSE(parse_command<tool::study::StudyRunCommand>({"--out", "o"}).device);
  EXPECT_FALSE(
      parse_command<tool::study::StudyRunCommand>({"--out", "o", "--device", "processor"}).device);
  EXPECT_EQ(
      parse_command<tool::study::StudyRunCommand>({"--out", "o", "--device", "simulated"}).device,
      Backend::simulated);
  const auto cuda = parse_command<tool::study::StudyRunCommand>({"--out", "o", "--device", "cuda"});
  EXPECT_EQ(cuda.device, Backend::cuda);
  EXPECT_EQ(cuda.job_count(), 1);
  EXPECT_EQ(
      parse_command<tool::study::StudyRunCommand>({"--out", "o", "--device", "cuda", "--jobs", "3"})
          .job_count(),
      3);
  EXPECT_THAT(refusal<tool::study::StudyRunCommand>({"--out", "o", "--device", "cpu"}),
              HasSubstr("unknown device 'cpu'"));
}

TEST(StudyRunOptions, MpiRankRunsOneJobByDefault) {
  EXPECT_EQ(parse_command<tool::study::StudyRunCommand>({"--out", "o"}).job_count(),
            tool::processor_count());
  ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  const int alone = parse_command<tool::study::StudyRunCommand>({"--out", "o"}).job_count();
  const int told =
      parse_command<tool::study::StudyRunCommand>({"--out", "o", "--jobs", "4"}).job_count();
  ::unsetenv("OMPI_COMM_WORLD_RANK");
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(told, 4);
}

TEST_F(StudyProgram, ResultsAreTheSameForAnyJobsAndForASingleCell) {
  const Outcome one = in("$N study run --out a --cells $C --jobs 1");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.err, "");
  EXPECT_EQ(one.out, "4 cells: 0 done before, 4 here, 0 elsewhere\n");
  EXPECT_EQ(in("$N study run --out b --cells $C --jobs 3").status, 0);
  EXPECT_EQ(results("a"), results("b"));
  const std::string name = "corrected/1x32/none/rate-10/seed-42/steps-4";
  EXPECT_EQ(in("$N study run --out c --cells " + name).status, 0);
  EXPECT_THAT(results("c"), HasSubstr(name));
  EXPECT_THAT(results("a"), HasSubstr(results("c")));
  EXPECT_EQ(in("$N study run --out b --cells $C").out,
            "4 cells: 4 done before, 0 here, 0 elsewhere\n");
  EXPECT_EQ(results("a"), results("b"));
}

TEST_F(StudyProgram, ResultsAreTheSameOnEveryDevice) {
  in("$N study run --out a --cells corrected/1x32/none/rate-1/seed-42/steps-0");
  const Outcome outcome =
      in("$N study run --out b --cells corrected/1x32/none/rate-1/seed-42/steps-0 --jobs 2 "
         "--device simulated");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(results("a"), results("b"));
  const Outcome cuda =
      in("$N study run --out c --cells corrected/1x32/none/rate-1/seed-42/steps-0 --device cuda");
  if (cuda.status != 0) {
    EXPECT_EQ(cuda.status, 77);
    EXPECT_THAT(cuda.err, testing::StartsWith("normproof: no device: "));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "c"));
    return;
  }
  EXPECT_EQ(results("a"), results("c"));
}

TEST_F(StudyProgram, ResumesAfterSigkillToTheSameBytes) {
  in("$N study run --out a --cells $C --jobs 2");
  in("$N study run --out b --cells $C --jobs 2 & p=$!; while ! [ -s b/results.jsonl ] && "
     "kill -0 $p 2>/dev/null; do :; done; kill -9 $p; wait $p");
  const Outcome resumed = in("$N study run --out b --cells $C --jobs 2");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(results("a"), results("b"));
}

TEST_F(StudyProgram, PartialLastLineIsReportedAndItsCellRunsAgain) {
  in("$N study run --out a --cells $C");
  const std::string whole = results("a");
  write_file(folder_ / "a/results.jsonl", whole.substr(0, whole.size() - 100));
  const Outcome again = in("$N study run --out a --cells $C");
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("a/results.jsonl: the last line"));
  EXPECT_EQ(again.out, "4 cells: 3 done before, 1 here, 0 elsewhere\n");
  EXPECT_EQ(results("a"), whole);
  std::string altered = whole;
  altered[altered.find("\"loss\"") + 9] ^= 1;
  write_file(folder_ / "a/results.jsonl", altered);
  const Outcome refused = in("$N study report --out a");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("a/results.jsonl: line 1 is altered"));
}

TEST_F(StudyProgram, MpiRanksShareTheWorkAndAKilledRankLosesOnlyItsCell) {
  if (in("command -v mpirun").status != 0) GTEST_SKIP() << "mpirun is not installed";
  in("$N study run --out a --cells $C");
  // Rank 1 is killed as soon as it works on a cell. The other ranks take over its cell.
  write_file(folder_ / "rank",
             "\"$@\" & p=$!\n"
             "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then while ! ls b/locks/* >/dev/null 2>&1 && "
             "kill -0 $p 2>/dev/null; do :; done; kill -9 $p; exit 0; fi\nwait $p\n");
  const Outcome outcome =
      in("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
         "mpirun --oversubscribe -n 3 bash rank $N study run --out b --cells $C");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("4 cells: "));
  EXPECT_EQ(results("a"), results("b"));
}

TEST_F(StudyProgram, MpiRanksAreAssignedToDevicesRoundRobin) {
  if (in("command -v mpirun").status != 0) GTEST_SKIP() << "mpirun is not installed";
  const Outcome outcome =
      in("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
         "NORMPROOF_SIMULATED_DEVICES=2\n"
         "mpirun --oversubscribe -n 3 $N study run --out b --device simulated "
         "--cells corrected/1x32/none/rate-1/seed-42/steps-0");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("rank 0: device 0 of 2, simulated\n"),
                                 HasSubstr("rank 1: device 1 of 2, simulated\n"),
                                 HasSubstr("rank 2: device 0 of 2, simulated\n")));
  EXPECT_THAT(outcome.out, HasSubstr("1 cell: "));
}

TEST_F(StudyProgram, InvalidMpiRankIsReportedInOneSentence) {
  const Outcome outcome = in("OMPI_COMM_WORLD_RANK=x $N study run --out b --cells ${C%%,*}");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "normproof: OMPI_COMM_WORLD_RANK is 'x'; expected a number of a rank from 0 on\n");
}

TEST_F(StudyProgram, ListsCellsAndReportsProgress) {
  const Outcome listed = in("$N study list --quick --json");
  EXPECT_EQ(listed.status, 0) << listed.err;
  // Three rates of four norms, four loss curves, and two seeds of two depths of four norms.
  EXPECT_THAT(nlohmann::json::parse(listed.out), SizeIs(12 + 4 + 16));
  EXPECT_EQ(
      in("$N study list --tables 1 --figures none --no-initialization --norms none --rates 10").out,
      "corrected/1x32/none/rate-10/seed-42\n");
  in("$N study run --out a --cells ${C%%,*}");
  const auto status = nlohmann::json::parse(in("$N study status --out a --cells $C --json").out);
  EXPECT_EQ(status.at("done"), 1);
  EXPECT_THAT(status.at("missing"), SizeIs(3));
  EXPECT_TRUE(status.at("seconds_left").is_number());
  EXPECT_THAT(
      in("$N study status --out a --cells $C --jobs 1").out,
      AllOf(HasSubstr("1 result; of 4 cells selected 1 done in "), HasSubstr("3 missing, about ")));
}

TEST_F(StudyProgram, ReportDependsOnlyOnTheResults) {
  in("$N study run --out a --cells $C,corrected/1x32/layer_norm/rate-1e-4/seed-42/steps-2/curves/"
     "dynamics,corrected/1x32/none/rate-10/seed-42");  // a whole cell, which soon diverges
  const Outcome outcome = in("$N study report --out a");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("6 cells: a/report.html"), HasSubstr("corrected: ")));
  const std::string page = read_file(folder_ / "a/report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<svg"), HasSubstr("published"), HasSubstr("Table 1")));
  EXPECT_THAT(in("ls a").out, HasSubstr("corrected-figure-4.svg"));
  in("cp -r a b; $N study report --out b");
  EXPECT_EQ(in("diff -r a b").out, "");
  const auto summary = nlohmann::json::parse(in("$N study report --out a --json").out);
  EXPECT_EQ(summary.at("cells"), 6);
}

TEST_F(StudyProgram, RejectsResultsThatDoNotMatchStudyJson) {
  in("seq 0 9 > ten; C=${C%%,*}; $N study run --out a --cells $C; "
     "$N study run --out b --cells $C --validation ten");
  const std::string sound = read_file(folder_ / "a/study.json");
  const auto refused = [&](const char* sentence) {
    for (const char* verb : {"run", "status", "report"}) {
      const Outcome outcome = in(std::string("C=${C%%,*}; $N study ") + verb + " --out a" +
                                 (verb == std::string("report") ? "" : " --cells $C"));
      EXPECT_EQ(outcome.status, 3) << verb << outcome.err;
      EXPECT_TRUE(is_one_sentence(outcome.err)) << verb << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(sentence)) << verb;
    }
  };
  std::string altered = sound;
  altered.insert(altered.find("  ", altered.find("\"validation\": [")) + 3, "1");
  for (const auto& [text, sentence] :
       {std::pair(std::string(), "cannot read 'a/study.json': it is empty"),
        std::pair(std::string("{"), "a/study.json: the whole is no JSON object"),
        std::pair(altered, "a/study.json: sha256 is not that")}) {
    write_file(folder_ / "a/study.json", text);
    refused(sentence);
    EXPECT_EQ(read_file(folder_ / "a/study.json"), text);
  }
  in("rm a/study.json");
  refused("a/results.jsonl: the whole has no study.json beside it");
  write_file(folder_ / "a/study.json", sound);
  in("cp b/results.jsonl a");
  refused("a/results.jsonl: line 1: data_sha256 is ");
}

TEST_F(StudyProgram, FileSizeLimitIsReportedAndLeavesNoFile) {
  const auto run_with_file_size_limit = [&](const std::string& verb) {
    const Outcome outcome = in("C=${C%%,*}; (ulimit -f 1; $N study " + verb + " --out a)");
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("File too large"));
  };
  run_with_file_size_limit("run --cells $C");
  EXPECT_EQ(results("a"), "");
  in("$N study run --out a --cells ${C%%,*}");
  const Outcome before = in("ls -A a");
  run_with_file_size_limit("report");
  EXPECT_EQ(in("ls -A a").out, before.out);
}

TEST_F(StudyProgram, StatusSumsTheSecondsOfTheSelectedCells) {
  in("$N study run --out a --cells $C");
  std::string times;
  double seconds = 1;
  const std::string names = cells();
  for (std::size_t begin = 0; begin < names.size(); seconds *= 2) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    times += "{\"name\":\"" + names.substr(begin, end - begin) +
             "\",\"seconds\":" + std::to_string(seconds) + "}\n";
    begin = end + 1;
  }
  write_file(folder_ / "a/times.jsonl", times);
  const auto measured = [&](const std::string& of) {
    return nlohmann::json::parse(in("$N study status --json --out a --cells " + of).out)
        .at("seconds_measured")
        .get<double>();
  };
  EXPECT_EQ(measured("$C"), 15);
  EXPECT_EQ(measured("${C%%,*}"), 1);
}

TEST_F(StudyProgram, StatusMentionsMissingTimes) {
  in("$N study run --out a --cells ${C%%,*}; rm a/times.jsonl");
  const auto status = [&](const char* of) {
    return in(std::string("$N study status --out a --cells ") + of);
  };
  EXPECT_EQ(status("$C").out,
            "1 result; of 4 cells selected 1 done, no time measured, 3 missing, no time to tell by "
            "how long they take\n");
  EXPECT_EQ(status("${C%%,*}").out,
            "1 result; of 1 cell selected 1 done, no time measured, 0 missing\n");
  EXPECT_THAT(status("${C##*,}").out, HasSubstr("of 1 cell selected none done, 1 missing"));
  const auto json = nlohmann::json::parse(status("$C --json").out);
  EXPECT_TRUE(json.at("seconds_measured").is_null());
  EXPECT_TRUE(json.at("seconds_left").is_null());
  EXPECT_EQ(json.at("measured"), 0);
  in("$N study run --out a --cells $C; head -n 2 a/times.jsonl > t; mv t a/times.jsonl");
  EXPECT_THAT(status("$C").out, HasSubstr("4 done, 2 of them in "));
  EXPECT_EQ(nlohmann::json::parse(status("$C --json").out).at("seconds_left"), 0);
}

// The results are tables 3 and 6 of the real study with only the highest rates. They show that
// LayerNorm is below BatchNorm in one table, and decide nothing else.
TEST_F(StudyProgram, UnfinishedStudyConcludesNothingFromMissingCells) {
  in("S='" NORMPROOF_SOURCE_DIR
     "/verification/studies/published/results'; mkdir a; cp $S/study.json a; "
     "grep -E '^.{9}corrected/(1x3200/([a-z_]+/rate-(10|1|0.5|0.1)|(batch|layer)_norm/rate-1e-2)|"
     "5x3200/([a-z_]+/rate-10|(batch_norm|layer_norm|none)/rate-1))/seed-42\"' $S/results.jsonl > "
     "a/results.jsonl; test $(wc -l < a/results.jsonl) = 25");
  const Outcome outcome = in("$N study report --out a --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto statements = nlohmann::json::parse(outcome.out).at("protocols").at(0).at("statements");
  for (const auto& [id, found] : statements.items())
    EXPECT_EQ(found.at("verdict"), id == "a1" ? "does not" : "not run") << id << found.dump();
}

TEST_F(StudyProgram, DocumentHasTheTablesOfItsResults) {
  in("mkdir a; cp '" NORMPROOF_SOURCE_DIR "'/verification/studies/published/results/*.json* a");
  ASSERT_EQ(in("$N study report --out a").status, 0);
  const std::string report = read_file(folder_ / "a" / "report.md");
  const std::string document = read_file(NORMPROOF_SOURCE_DIR "/docs/guide/study.md");
  for (const char* heading :
       {"**Statements by protocols**", "## Protocol corrected\n", "## Protocol published\n"})
    EXPECT_THAT(document, HasSubstr(extract_table_below(report, heading))) << heading;
}

TEST_F(StudyProgram, EachErrorIsReportedInOneSentence) {
  in("mkdir full empty && touch full/x; $N study run --out a --cells "
     "corrected/1x32/none/rate-10/seed-1/steps-0");
  in("mkdir bare && cp a/study.json bare");
  for (const auto& [arguments, status, sentence] :
       std::initializer_list<std::tuple<const char*, int, const char*>>{
           {"run", 2, "--out"},
           {"run --out n --tables none --figures none --no-initialization", 2,
            "no cell is selected"},
           {"run --out n --cells corrected/1x32/nome/rate-1", 2, "did you mean 'none'"},
           {"run --out n --cells corrected/1x32/none/rate-x", 2, "rate"},
           {"run --out full --quick", 2, "holds something that is no study"},
           {"run --out n --data d", 2, "--data is given without --vocab"},
           {"run --out n --data d --vocab v", 3, "v: does not exist"},
           {"status --out empty", 3, "empty: holds no study"},
           {"report --out empty", 3, "empty: holds no study"},
           {"status --out absent", 3, "absent: is no folder"},
           {"report --out absent", 3, "absent: is no folder"},
           {"report --out full/x", 3, "full/x: is no folder"},
           {"report --out bare", 3, "bare/results.jsonl: holds no result"},
           {"run --out a --validation one", 2, "of other data"}}) {
    in("echo 1 > one");
    const Outcome outcome = in(std::string("$N study ") + arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << arguments << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << arguments;
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
