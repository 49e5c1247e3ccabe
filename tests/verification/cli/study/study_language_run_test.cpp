#include "verification/cli/study/study_language_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/verification/cli/program_run.hpp"

// Runs `normproof study --study language` on quick cells of a short text. A cell is one training
// run of a study.
namespace normproof::tests::verification::cli::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class LanguageStudyProgram : public ::testing::Test {
 protected:
  LanguageStudyProgram() {
    run("seq -f 'the old weaver sees bridge %g' 1 150 > '" + (folder_ / "t").string() + "'");
  }
  Outcome in(const std::string& command) const {
    return run("cd '" + folder_.path().string() +
               "'; R='study run --study language --quick --data t --norms layer_norm,power_norm "
               "--placements pre --seeds 3'\n" +
               command);
  }
  std::string results(const std::string& folder) const {
    return read_file(folder_ / folder / "results.jsonl");
  }

  tests::ref::io::TemporaryFolder folder_;
};

/// Returns every table of the report whose caption begins with `caption`.
std::vector<std::string> find_tables_below(const std::string& report, const std::string& caption) {
  std::vector<std::string> tables;
  for (std::size_t at = report.find(caption); at != std::string::npos;
       at = report.find(caption, at + 1))
    tables.push_back(extract_table_below(report.substr(at), caption));
  return tables;
}

/// The captions of the report's tables that the documents show.
constexpr const char* kCaptions[] = {
    "**Statements by conditions**", "**What each verdict rests on**", "**The test part",
    "**The share of its bound", "**Which difference to layer_norm"};

TEST_F(LanguageStudyProgram, ResultsAreTheSameForAnyJobsAndForASingleCell) {
  const Outcome one = in("$N $R --out a --jobs 1");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.err, "");
  // The cells are two norms at three rates with two seeds, three seeds per norm at its chosen rate,
  // and one traced run per norm.
  EXPECT_THAT(one.out, testing::MatchesRegex("20 cells: 0 done before, 20 here, 0 elsewhere\n"
                                             "sha256 [0-9a-f]+\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a" / "runs"));
  EXPECT_EQ(in("$N $R --out b --jobs 3").status, 0);
  EXPECT_EQ(results("a"), results("b"));
  const std::size_t tested = results("a").find("/seed-3/quick/test");
  const std::size_t begin = results("a").rfind("{\"name\"", tested) + 9;
  const std::string name = results("a").substr(begin, results("a").find('"', begin) - begin);
  EXPECT_EQ(in("$N study run --study language --out c --data t --cells " + name).status, 0);
  EXPECT_THAT(results("c"), testing::StartsWith("{\"name\":\"" + name + "\""));
  EXPECT_THAT(results("a"), HasSubstr(results("c")));
  const Outcome again = in("$N $R --out b --json");
  EXPECT_EQ(nlohmann::json::parse(again.out).at("done_before"), 20);
  EXPECT_THAT(one.out, HasSubstr(nlohmann::json::parse(again.out).at("sha256").get<std::string>()));
}

TEST_F(LanguageStudyProgram, CellHasTheSameResultOnADevice) {
  in("head -n 45 t > short");
  const std::string cell =
      "--data short --cells language/post/power_norm/rate-1e-2/seed-1/quick/test";
  EXPECT_EQ(in("$N study run --study language --out a " + cell).status, 0);
  const Outcome there = in("$N study run --study language --out b --device simulated " + cell);
  EXPECT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(results("b"), results("a"));
  const Outcome cuda = in("$N study run --study language --out c --device cuda " + cell);
  if (cuda.status == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(cuda.status, 77);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c"));
}

TEST_F(LanguageStudyProgram, ResumesAfterSigkillToTheSameBytes) {
  in("$N $R --out a --jobs 2");
  in("$N $R --out b --jobs 2 & p=$!; while ! [ -s b/results.jsonl ] && kill -0 $p 2>/dev/null; "
     "do :; done; kill -9 $p; wait $p");
  EXPECT_NE(results("a"), results("b"));
  const Outcome resumed = in("$N $R --out b --jobs 2");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(results("a"), results("b"));
}

// The data are a few sentence pairs. A run of both tasks in one folder is killed and resumed. Its
// results must equal those of each task run alone.
TEST_F(LanguageStudyProgram, RunOfBothTasksGivesTheResultsOfEachAlone) {
  in("mkdir p; for part in train dev test; do for i in 1 2 3 4 5 6; do echo \"kare wa $i .\"; done "
     "> p/$part.ja; for i in 1 2 3 4 5 6; do echo \"he is $i .\"; done > p/$part.en; done");
  const std::string pairs = " --pairs p --source ja --target en";
  const std::string translators =
      "$N study run --study language --quick --norms layer_norm,"
      "power_norm_released+layer_norm --placements pre --seeds 2" +
      pairs;
  in("cp t text");
  const Outcome alone = in(translators + " --out pairs");
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, testing::StartsWith("18 cells: 0 done before, 18 here"));
  EXPECT_EQ(in("$N study run --study language --quick --data t --norms layer_norm --placements pre "
               "--seeds 2 --out l")
                .status,
            0);
  const std::string both = translators + " --data text --out b --jobs 2";
  in(both +
     " & p=$!; while ! [ -s b/results.jsonl ] && kill -0 $p 2>/dev/null; do :; done; kill -9 $p; "
     "wait $p");
  const Outcome resumed = in(both);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(results("b"), results("l") + results("pairs"));
  // --quick may be left out if all cells of the folder are quick cells.
  for (const char* size : {"--quick ", ""})
    EXPECT_THAT(in(fmt::format("$N study status --study language {}--placements pre --seeds 2 "
                               "--norms layer_norm --out pairs",
                               size))
                    .out,
                testing::StartsWith("18 results; of 9 cells selected 9 done"));
  EXPECT_THAT(
      in("$N study power --out l").err,
      HasSubstr(
          "for 18 cells that choose them are missing, the first language/post/layer_norm/rate-"
          "3e-3/seed-1/quick; expected those of 'normproof study run --study language --out "
          "l --quick --tasks language --norms layer_norm,power_norm --seeds 2', with the data "
          "of the folder"));
  const Outcome report = in("$N study report --study language --out pairs");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("translate, pre-norm, quick: The test BLEU of the released "
                                    "PowerNorm in the encoder, LayerNorm in the decoder, is above "
                                    "LayerNorm's: "));
  EXPECT_THAT(in("$N study power --out b").out, HasSubstr("in BLEU 5 paired seeds"));
  in("cp -r pairs old; sed 's/\"protocol_sha256\": \"/&0/' -i old/study.json");
  EXPECT_EQ(in("$N study report --study language --out old").status, 0);
  for (const auto& [arguments, sentence] :
       std::initializer_list<std::pair<const char*, const char*>>{
           {"--out old --quick --tasks translate",
            "--out old is the folder of a study whose cells another version of the program "
            "trained"},
           {"--out pairs --quick",
            "is the folder of a study of translate; expected a new folder, or "
            "--tasks translate"},
           {"--out b --quick --data text", "of language and translate"},
           {"--out pairs --cells language/pre/none/rate-1e-2/seed-1/quick",
            "is the folder of a study of translate; expected a new folder, or cells of translate"},
           {"--out pairs --quick --tasks translate", "of other data"}}) {
    const Outcome outcome = in(std::string("$N study run --study language ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << arguments;
  }
}

TEST_F(LanguageStudyProgram, ReportsProgressAndResults) {
  EXPECT_EQ(
      in("$N study list --study language --quick --norms dyt --placements post | head -n 1").out,
      "language/post/dyt/rate-3e-3/seed-1/quick\n");
  EXPECT_THAT(nlohmann::json::parse(in("$N study list --study language --json").out),
              SizeIs(96 + 108));
  in("$N $R --out a");
  const std::string selected = "--study language --quick --placements pre --seeds 3";
  const auto status = nlohmann::json::parse(
      in("$N study status " + selected + " --norms layer_norm,dyt --out a --json").out);
  EXPECT_EQ(status.at("results"), 20);
  EXPECT_EQ(status.at("done"), 10);
  EXPECT_THAT(status.at("missing"), SizeIs(6));
  EXPECT_TRUE(status.at("seconds_left").is_number());
  const Outcome report = in("$N study report --study language --out a");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(report.out, AllOf(HasSubstr("20 cells: a/report.html and report.md\nsha256 "),
                                HasSubstr("PowerNorm's test perplexity is below LayerNorm's: ")));
  EXPECT_THAT(read_file(folder_ / "a/report.html"), HasSubstr("<svg"));
  EXPECT_THAT(in("ls a").out, AllOf(HasSubstr("language-pre-norm-quick-learning.svg"),
                                    HasSubstr("language-pre-norm-quick-fluctuation.svg"),
                                    HasSubstr("language-pre-norm-quick-taken-variance.svg")));
  in("cp -r a b; $N study report --study language --out b");
  EXPECT_EQ(in("diff -r a b").out, "");
  const auto summary =
      nlohmann::json::parse(in("$N study report --study language --out a --json").out);
  EXPECT_EQ(summary.at("conditions").at(0).at("norms").at("power_norm").at("seeds"), 3);
  EXPECT_THAT(in("$N study power --out a --seeds 7").out,
              AllOf(HasSubstr("7 paired seeds"), HasSubstr("power_norm")));
}

TEST_F(LanguageStudyProgram, DocumentsHaveTheTablesOfTheirResults) {
  const std::string documents = NORMPROOF_SOURCE_DIR "/docs/generated/";
  const std::string results = NORMPROOF_SOURCE_DIR "/verification/studies/language/results/";
  for (const auto& [folder, page] : {std::pair("language", "study_language_whole.md"),
                                     std::pair("translate", "study_language_whole.md"),
                                     std::pair("translate_unscaled", "study_language_whole.md"),
                                     std::pair("quick", "study_language_quick.md"),
                                     std::pair("translate_quick", "study_language_quick.md")}) {
    const std::string document = read_file(documents + page), own = folder;
    in("mkdir " + own + "; cp '" + results + own + "/'*.json* " + own);
    const Outcome outcome = in("$N study report --study language --out " + own);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string report = read_file(folder_ / own / "report.md");
    std::size_t tables = 0;
    for (const char* caption : kCaptions)
      for (const std::string& table : find_tables_below(report, caption)) {
        EXPECT_THAT(document, HasSubstr(table)) << own << caption;
        ++tables;
      }
    EXPECT_GE(tables, 5u) << own;
    const std::size_t sha256 = outcome.out.find("sha256 ") + 7;
    EXPECT_THAT(document,
                HasSubstr("sha256 of all results " + outcome.out.substr(sha256, 8) + "..."));
  }
}

TEST_F(LanguageStudyProgram, EachErrorIsReportedInOneSentence) {
  in("mkdir full; touch full/x; printf short > s; $N study run --study language --data t "
     "--out a --cells language/pre/none/rate-1e-2/seed-1/quick");
  in("$N study run --out f --cells corrected/1x32/none/rate-10/seed-1/steps-0");
  in("sed 's/\"steps\":/\"steps\":1/' -i a/results.jsonl; mkdir empty; mkdir bare; cp a/study.json "
     "bare");
  for (const auto& [arguments, status, sentence] :
       std::initializer_list<std::tuple<const char*, int, const char*>>{
           {"run --study language --out n", 2, "--data is not given"},
           {"run --study language --out n --cells language/pre/none/rate-1e-2/seed-1", 2,
            "--data is not given"},
           {"run --study language --out n --cells language/pre/nome/rate-1e-2/seed-1", 2,
            "did you mean 'none'"},
           {"run --study language --out n --data t --tasks translate", 2,
            "--data is given; expected none without cells of the task language"},
           {"run --study language --out n --tasks translate", 2, "--pairs is not given"},
           {"run --study language --out n --data t --tasks language,translate", 2,
            "--pairs is not given"},
           {"run --study language --out n --quick --pairs p", 2, "--source is not given"},
           {"run --study language --out n --quick --tasks translate --source ja", 2,
            "--pairs is not given; expected all of --pairs, --source and --target"},
           {"run --study language --out n --quick --data t --source ja", 2, "--source is given"},
           {"run --study language --out n --quick --pairs absent --source ja --target ja", 2,
            "--source and --target are both ja; expected two languages"},
           {"run --study language --out n --pairs absent --source ja --target en", 3, "absent"},
           {"run --study language --out n --quick --tasks classify", 2, "--tasks is 'classify'"},
           {"run --out n --quick --pairs p", 2, "--pairs is given; expected none with --study"},
           {"run --study language --out n --data absent", 3, "absent"},
           {"run --study language --out n --data s", 3, "s: has 5 characters"},
           {"run --study language --out n --quick --vocab v", 2, "--vocab is given"},
           {"run --study language --out n --cells language/pre/none/rate-1e-2/seed-0/quick", 2,
            "has the seed 0; expected 1 or more"},
           {"run --study language --out n --cells translate/pre/none/rate-1e-2/seed-1", 2,
            "or cells that end in /quick, which have made-up ones"},
           {"run --study language --out full --quick", 2, "holds something that is no study"},
           {"run --study language --out a --quick --tasks language", 2, "of other data"},
           {"run --study language --out a --quick", 2,
            "is the folder of a study of language; expected a new folder, or --tasks language"},
           {"run --study language --out f --quick", 2,
            "f is the folder of the published experiment"},
           {"status --study language --out f", 2, "expected that of a study of language models"},
           {"power --out f", 2, "expected that of a study of language models"},
           {"run --out a --quick", 2, "a is the folder of a study of language models"},
           {"status --out a", 2, "expected --study language"},
           {"report --out a", 2, "expected --study language"},
           {"report --study language --out a", 3, "a/results.jsonl: line 1 is altered"},
           {"report --study language --out empty", 3, "empty: holds no study"},
           {"report --study language --out bare", 3, "bare/results.jsonl: holds no result"},
           {"status --study language --out absent", 3, "absent: is no folder"},
           {"power --out bare", 3, "has no two seeds"}}) {
    const Outcome outcome = in(std::string("$N study ") + arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << arguments << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "n"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
