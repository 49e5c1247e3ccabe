#include "verification/cli/golden/golden_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "ref/io/tensor_file.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/golden/certify/corpus_version.hpp"

// Runs the program to make a corpus and to check candidates against it.
namespace normproof::tests::verification::cli::golden {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A test fixture with a corpus of three LayerNorm cases. A copy of the corpus is the candidate.
class GoldenCheckProgram : public ::testing::Test {
 protected:
  static constexpr const char* kFirst = "quick/layer_norm/one_row-1x6-float32";

  GoldenCheckProgram() : enter_("cd '" + folder_.path().string() + "'; ") {
    const Outcome made = in("$N golden make --out g --only 'quick/layer_norm/one_*32' --jobs 2");
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, AllOf(StartsWith("g: 3 cases, "), EndsWith(" elements certified\n")));
    EXPECT_EQ(in("cp -r g c").status, 0);
  }

  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome check(const std::string& more = "") const {
    return in("$N golden check --golden g --candidate c " + more);
  }

  /// Changes the first element of y in the first case to a wrong value.
  void corrupt_output(const std::string& folder = "c") const {
    const fs::path file = folder_ / (folder + "/" + kFirst + "/expected.safetensors");
    auto tensors = normproof::ref::io::read_tensors(file);
    for (auto& tensor : tensors) {
      if (tensor.name != "y") continue;
      auto values = normproof::ref::io::widen(tensor);
      values[0] = 77;
      tensor = normproof::ref::io::make_tensor("y", tensor.dtype, tensor.shape, values);
    }
    normproof::ref::io::write_tensors(file, tensors);
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(GoldenCheckOptions, ParsesEveryOptionAndHasDefaults) {
  namespace corpora = normproof::verification::golden;
  const auto plain =
      parse_command<tool::golden::GoldenCheckCommand>({"--golden", "g", "--candidate", "c"});
  EXPECT_EQ(plain.golden, "g");
  EXPECT_EQ(plain.candidate, "c");
  EXPECT_FALSE(plain.pipe || plain.xfail || plain.reports.file("--json") ||
               plain.reports.file("--junit") || plain.reports.file("--sarif") ||
               plain.reports.file("--markdown") || plain.options.accumulation);
  EXPECT_EQ(plain.timeout, 60);
  EXPECT_EQ(plain.only, "*");
  EXPECT_TRUE(plain.options.outputs.empty());
  EXPECT_EQ(plain.options.formula, corpora::tolerance::Formula::two_pass);
  EXPECT_EQ(plain.min_cases, 1u);
  const auto full = parse_command<tool::golden::GoldenCheckCommand>({"--golden",
                                                                     "g",
                                                                     "--pipe",
                                                                     "./a b 'c'",
                                                                     "--timeout",
                                                                     "2",
                                                                     "--only",
                                                                     "*x*",
                                                                     "--outputs",
                                                                     "y,grad_x",
                                                                     "--accumulation",
                                                                     "float16",
                                                                     "--min-cases",
                                                                     "7",
                                                                     "--xfail",
                                                                     "x.txt",
                                                                     "--json",
                                                                     "r.jsonl",
                                                                     "--junit",
                                                                     "r.xml",
                                                                     "--sarif",
                                                                     "r.sarif",
                                                                     "--markdown",
                                                                     "r.md",
                                                                     "--jobs",
                                                                     "2",
                                                                     "--formula",
                                                                     "one_pass",
                                                                     "--loss-dtype",
                                                                     "logits",
                                                                     "--scale-rounding",
                                                                     "up",
                                                                     "--flush-subnormals",
                                                                     "--skip-diagnosis"});
  EXPECT_TRUE(full.options.skip_diagnosis);
  EXPECT_FALSE(plain.options.skip_diagnosis);
  EXPECT_EQ(full.options.loss_dtype, corpora::tolerance::LossDtype::logits);
  EXPECT_EQ(plain.options.loss_dtype, corpora::tolerance::LossDtype::wide);
  EXPECT_EQ(full.options.scale_rounding, corpora::corpus::ScaleRounding::up);
  EXPECT_EQ(plain.options.scale_rounding, corpora::corpus::ScaleRounding::floor);
  EXPECT_TRUE(full.options.flush_subnormals);
  EXPECT_FALSE(plain.options.flush_subnormals);
  EXPECT_EQ(full.pipe, "./a b 'c'");
  EXPECT_FALSE(full.candidate);
  EXPECT_EQ(full.timeout, 2);
  EXPECT_EQ(full.only, "*x*");
  EXPECT_THAT(full.options.outputs, testing::ElementsAre("y", "grad_x"));
  EXPECT_EQ(full.options.accumulation, corpora::corpus::Accumulation::float16);
  EXPECT_EQ(full.options.formula, corpora::tolerance::Formula::one_pass);
  EXPECT_EQ(full.min_cases, 7u);
  EXPECT_EQ(full.xfail, "x.txt");
  EXPECT_EQ(full.reports.file("--json"), "r.jsonl");
  EXPECT_EQ(full.reports.file("--junit"), "r.xml");
  EXPECT_EQ(full.reports.file("--sarif"), "r.sarif");
  EXPECT_EQ(full.reports.file("--markdown"), "r.md");
  EXPECT_EQ(full.jobs, 2);
}

TEST(GoldenCheckOptions, EachErrorIsReportedInOneSentence) {
  const auto refused = [](const Arguments& more, const std::string& what) {
    Arguments arguments = {"--golden", "g", "--candidate", "c"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(refusal<tool::golden::GoldenCheckCommand>(arguments), HasSubstr(what));
  };
  EXPECT_THAT(refusal<tool::golden::GoldenCheckCommand>({"--candidate", "c"}),
              HasSubstr("--golden is required"));
  EXPECT_THAT(refusal<tool::golden::GoldenCheckCommand>({"--golden", "g"}),
              HasSubstr("none of --candidate, --pipe and --device is given; expected one of them"));
  EXPECT_THAT(refusal<tool::golden::GoldenCheckCommand>({"--golden", "g", "--pipe", ""}),
              HasSubstr("--pipe is ''; expected a command for sh"));
  refused({"--pipe", "p"}, "--candidate and --pipe are given; expected one of");
  refused({"--formula", "onepass"}, "unknown formula 'onepass'; did you mean");
  refused({"--accumulation", "float31"}, "unknown accumulation 'float31'; did you mean");
  refused({"--outputs", "y,"}, "--outputs is 'y,'; expected names with commas between");
  refused({"--timeout", "0"}, "--timeout is '0'; expected a");
  refused({"--timeout", "2.5"}, "--timeout is '2.5'; expected a whole number from 1 to");
  refused({"--timeout", "nan"}, "--timeout is 'nan'");
  refused({"--timeout", "1s"}, "--timeout is '1s'");
  refused({"--min-cases", "0"}, "--min-cases is '0'; expected a whole number from 1 to");
  refused({"--min-cases", "-1"}, "--min-cases is '-1'");
  refused({"--xfail", ""}, "--xfail is ''; expected the name of a file");
  refused({"--jnuit", "x"}, "did you mean '--junit'?");
}

TEST_F(GoldenCheckProgram, MissingCandidateProgramIsReportedInOneSentence) {
  const Outcome outcome = in("$N golden check --golden g --pipe /no/such/program --json r.jsonl");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("the command is not run: the candidate ended with status 127"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(fs::exists(folder_ / "r.jsonl"));
}

TEST_F(GoldenCheckProgram, CorpusPassesAsItsOwnCandidate) {
  const Outcome outcome = check();
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(StartsWith("layer "), HasSubstr("\nlayer_norm "),
                                 EndsWith("\nPASSED: 3 of 3 cases passed\n")));
  EXPECT_EQ(check("--jobs 1").out, outcome.out);
  EXPECT_EQ(in("cd g && sha256sum --check --quiet SHA256SUMS").status, 0);
}

TEST_F(GoldenCheckProgram, EveryReportHasTheSameFailure) {
  corrupt_output();
  const Outcome outcome = check("--json r.jsonl --junit r.xml --sarif r.sarif --markdown r.md");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(std::string("\nFAILED ") + kFirst + "\n"),
                                 HasSubstr("  y at [0, 0]: got 77, exact "),
                                 HasSubstr("\nFAILED: 2 of 3 cases passed, 1 failed\n")));
  // The printed command must repeat the failure.
  const std::size_t at = outcome.out.find("  repro: normproof ");
  ASSERT_NE(at, std::string::npos);
  const std::string repro = outcome.out.substr(at + 19, outcome.out.find('\n', at) - at - 19);
  const Outcome again = in("$N " + repro);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.out, EndsWith("\nFAILED: 0 of 1 case passed, 1 failed\n"));

  std::size_t failed = 0;
  std::istringstream lines(read_file(folder_ / "r.jsonl"));
  for (std::string line; std::getline(lines, line);)
    failed += nlohmann::json::parse(line)["outcome"] == "failed" ? 1 : 0;
  EXPECT_EQ(failed, 1u);
  pugi::xml_document junit;
  ASSERT_TRUE(junit.load_string(read_file(folder_ / "r.xml").c_str()));
  const auto suite = junit.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("tests").value(), "3");
  EXPECT_STREQ(suite.attribute("failures").value(), "1");
  const auto sarif = nlohmann::json::parse(read_file(folder_ / "r.sarif"));
  EXPECT_EQ(sarif["runs"][0]["results"].size(), 1u);
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "layer_norm/y");
  EXPECT_THAT(read_file(folder_ / "r.md"),
              StartsWith("### normproof: FAILED: 2 of 3 cases passed, 1 failed\n"));
}

TEST_F(GoldenCheckProgram, ListedFailuresPassAndUnlistedChangesFail) {
  corrupt_output();
  write_file(folder_ / "known", std::string(kFirst) + "  # until it is mended\n");
  EXPECT_EQ(in(": > none; cp -r g right; $N golden check --golden g --candidate right --xfail none")
                .status,
            0);
  const Outcome known = check("--xfail known");
  EXPECT_EQ(known.status, 0);
  EXPECT_THAT(known.out, EndsWith("\nPASSED: 2 of 3 cases passed, 1 failed as listed\n"));
  EXPECT_THAT(known.out, Not(HasSubstr("repro:")));
  write_file(folder_ / "known", "*\n");
  const Outcome unexpected = check("--xfail known");
  EXPECT_EQ(unexpected.status, 1);
  EXPECT_THAT(unexpected.out, HasSubstr("\nPASSED, though it is listed as failing quick/"));
  write_file(folder_ / "known", "quick/layernorm/*\n");
  const Outcome stale = check("--xfail known");
  EXPECT_EQ(stale.status, 3);
  EXPECT_TRUE(is_one_sentence(stale.err)) << stale.err;
  EXPECT_THAT(stale.err, HasSubstr("known: line 1 is 'quick/layernorm/*'"));
}

TEST_F(GoldenCheckProgram, TooFewCasesFail) {
  EXPECT_EQ(check("--min-cases 3").status, 0);
  const Outcome few = check("--min-cases 4");
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.out, EndsWith("; expected 4 cases or more\n"));
  EXPECT_EQ(check("--min-cases 3 --only '*one_row*'").status, 1);
}

TEST_F(GoldenCheckProgram, CorpusVersionCanBeRequired) {
  const std::string built =
      normproof::verification::golden::certify::built_corpus_version().number();
  EXPECT_THAT(check("--corpus-version " + built).out, HasSubstr("corpus " + built + "+"));
  EXPECT_EQ(check("--corpus-version " + built.substr(0, built.find('.'))).status, 0);
  const Outcome other = check("--corpus-version 0.9 --json report");
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, AllOf(HasSubstr("the corpus is of version " + built),
                               HasSubstr("expected 0.9, as --corpus-version says")));
  EXPECT_FALSE(fs::exists(folder_ / "report"));
}

TEST_F(GoldenCheckProgram, EmptyFolderOfOutputsPassesNoCase) {
  EXPECT_EQ(in("rm -r c/quick").status, 0);
  const Outcome outcome = check();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, EndsWith("\nFAILED: 0 of 3 cases passed, 3 failed\n"));
}

TEST_F(GoldenCheckProgram, SendsCasesToACandidateProgramLineByLine) {
  if (run("/usr/bin/python3 -c ''").status != 0) GTEST_SKIP() << "there is no /usr/bin/python3";
  // Implements LayerNorm by its definition. The program uses the protocol of docs/guide/formats.md.
  write_file(folder_ / "layer_norm.py",
             "import sys, math\n"
             "for line in sys.stdin:\n"
             "    words = line.split()\n"
             "    eps = [float(w[4:]) for w in words if w.startswith('eps=')][0]\n"
             "    shape, values = {}, {}\n"
             "    for i, word in enumerate(words):\n"
             "        if word.count(':') != 2: continue\n"
             "        name, dtype, shape[name] = word.split(':')\n"
             "        count = math.prod(int(n) for n in shape[name].split('x'))\n"
             "        values[name] = [float.fromhex(w) for w in words[i + 1:i + 1 + count]]\n"
             "    x, gamma, beta = (values[k] for k in ('x', 'gamma', 'beta'))\n"
             "    y = []\n"
             "    for r in range(0, len(x), len(gamma)):\n"
             "        row = x[r:r + len(gamma)]\n"
             "        mean = math.fsum(row) / len(row)\n"
             "        variance = math.fsum((a - mean) ** 2 for a in row) / len(row)\n"
             "        y += [g * (a - mean) / math.sqrt(variance + eps) + b\n"
             "              for a, g, b in zip(row, gamma, beta)]\n"
             "    print(words[0], 'y:float64:' + shape['x'], *(a.hex() for a in y), flush=True)\n");
  const std::string command = "$N golden check --golden g --pipe '/usr/bin/python3 layer_norm.py' ";
  const Outcome right = in(command + "--outputs y");
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  const Outcome gradients_too = in(command);
  EXPECT_EQ(gradients_too.status, 1);
  EXPECT_THAT(gradients_too.out, HasSubstr("\n  grad_x is absent\n"));
  const Outcome no_mean =
      in("sed -i 's|a - mean) / |a) / |' layer_norm.py; " + command + "--outputs y");
  EXPECT_EQ(no_mean.status, 1) << no_mean.out;
  EXPECT_THAT(no_mean.out, HasSubstr("\n  y at ["));
}

TEST_F(GoldenCheckProgram, CountsDeclinedCases) {
  EXPECT_EQ(in("$N golden export --golden g --format text --out t").status, 0);
  // A candidate that prints the expected outputs but declines the first case.
  write_file(folder_ / "partial",
             std::string("while read -r path rest; do\n  case $path in ") + kFirst +
                 ") echo $path not_offered;; *) grep -F \"$path \" t/expected.txt;; esac\ndone\n");
  const std::string command = "$N golden check --golden g --pipe 'sh partial' ";
  const Outcome outcome = in(command + "--min-cases 2 --json r.jsonl");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out,
              EndsWith("\nlayer_norm: 1 of 3 cases declined: the candidate does not offer it, " +
                       std::string(kFirst) +
                       "\n"
                       "PASSED: 2 of 3 cases passed, 1 declined\n"));
  EXPECT_THAT(read_file(folder_ / "r.jsonl"), HasSubstr("\"outcome\":\"declined\""));
  EXPECT_EQ(in(command + "--min-cases 3").status, 1);
  EXPECT_EQ(in(command + std::string("--only ") + kFirst).status, 1);
  const Outcome relations =
      in("$N golden relations --golden g --relations repeat --pipe 'sh partial'");
  EXPECT_EQ(relations.status, 0) << relations.out << relations.err;
  EXPECT_THAT(relations.out,
              EndsWith("\nPASSED: 2 of 2 relations hold, 3 cases; 1 relation declined\n"));
  const Outcome recorded =
      in("$N regress record --golden g --history h.jsonl --label a --pipe 'sh partial'");
  EXPECT_EQ(recorded.status, 0) << recorded.out << recorded.err;
  EXPECT_THAT(recorded.out, EndsWith(" outputs, 1 declined\n"));
  const Outcome nothing =
      in("$N regress record --golden g --history h.jsonl --label b --pipe 'sh partial' --only " +
         std::string(kFirst));
  EXPECT_EQ(nothing.status, 3) << nothing.out << nothing.err;
  EXPECT_THAT(nothing.err,
              HasSubstr("no case was answered, so nothing is recorded: all are declined"));
}

TEST_F(GoldenCheckProgram, CandidateErrorFailsOnlyItsCaseAndIsInEveryReport) {
  EXPECT_EQ(in("$N golden export --golden g --format text --out t").status, 0);
  write_file(folder_ / "raising",
             std::string("echo began >&2\nwhile read -r path rest; do\n  case $path in ") + kFirst +
                 ") echo $path \"error ValueError: no eps\";; *) grep -F \"$path \" "
                 "t/expected.txt;; esac\ndone\n");
  const Outcome outcome =
      in("$N golden check --golden g --pipe 'sh raising' --json r.jsonl --junit r.xml");
  EXPECT_EQ(outcome.status, 1);
  const std::string problem = "the candidate reports an error: ValueError: no eps";
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n  " + problem + "\n"),
                                 EndsWith("\nFAILED: 2 of 3 cases passed, 1 failed\n")));
  EXPECT_EQ(outcome.err, "the candidate's standard error ends with:\nbegan\n");
  EXPECT_THAT(read_file(folder_ / "r.jsonl"), HasSubstr("\"problem\":\"" + problem + "\""));
  EXPECT_THAT(read_file(folder_ / "r.xml"), HasSubstr(problem));
}

TEST_F(GoldenCheckProgram, CasesFailWithTheReasonIfTheCandidateProgramFails) {
  const auto failing = [&](const std::string& program, const std::string& what) {
    const Outcome outcome = in("$N golden check --golden g --timeout 1 --pipe '" + program + "'");
    EXPECT_EQ(outcome.status, 1) << program;
    EXPECT_EQ(outcome.err, "") << program;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n  " + what),
                                   EndsWith("\nFAILED: 0 of 3 cases passed, 3 failed\n")));
  };
  failing("exit 9", "the candidate ended with status 9 before it answered\n");
  failing("cat", "the answer to quick/layer_norm/one_");
  failing("kill -9 $$", "the candidate was ended by signal 9 before it answered\n");
}

TEST_F(GoldenCheckProgram, ReportsErrorsBeforeTheWork) {
  const auto refused = [&](const std::string& command, int status, const std::string& what) {
    const Outcome outcome = in("$N golden " + command);
    EXPECT_EQ(outcome.status, status) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(what)) << command;
  };
  refused("make --out g", 2, "--out g is there already; expected the name of a new folder");
  refused("make --out n --only nothing", 2, "--only 'nothing' names no case");
  refused("make --out g/manifest.json/n --only '*/tvm_*'", 3, "the folder cannot be made");
  refused("check --golden absent --candidate c", 3, "absent/manifest.json");
  refused("check --golden g --candidate absent", 3, "absent: there is no such folder");
  refused("check --golden g --candidate ./g/", 2,
          "--candidate ./g/ is the corpus itself; expected");
  refused("check --golden g --candidate c --only nothing", 2, "--only 'nothing' names no case of");
  refused("check --golden g --candidate c --outputs z", 2, "unknown output 'z'");
  refused("check --golden g --candidate c --json g/manifest.json", 2, "name the same file");
  refused("check --golden g --candidate c --json r --sarif ./r", 2, "name the same file");
  refused("check --golden g --candidate c --junit absent/r.xml", 3, "absent");
  refused("check --golden g --candidate c --xfail absent", 3, "absent");
  in("printf '\\357\\273\\277quick/*' > marked");
  refused("check --golden g --candidate c --xfail marked", 3,
          "marked: begins with a UTF-8 byte order mark");
  corrupt_output("g");
  refused("check --golden g --candidate c", 3, "/expected.safetensors: the file has the SHA-256");
}

TEST_F(GoldenCheckProgram, ReportCannotReplaceCorpusOrOutputs) {
  for (const char* option : {"--json", "--junit", "--sarif", "--markdown"})
    for (const std::string place : {"g/manifest.json", "g/quick/../new", "./c/new"}) {
      const Outcome outcome = check(option + (" " + place));
      EXPECT_EQ(outcome.status, 2) << option << " " << place;
      EXPECT_EQ(outcome.out, "");
    }
  EXPECT_THAT(check("--json ./c/new").err,
              EndsWith("--json ./c/new is in c; expected a file elsewhere\n"));
  EXPECT_EQ(check("--json new").status, 0);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
