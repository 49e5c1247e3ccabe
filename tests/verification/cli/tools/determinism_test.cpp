#include "verification/cli/tools/determinism.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/support/report/schema_rules.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using tests::ref::io::TemporaryFolder;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(DeterminismOptions, ParsesEveryOption) {
  const auto plain = parse_command<tool::tools::DeterminismCommand>({});
  EXPECT_FALSE(plain.against || plain.instruction_set || plain.reports.file("--json") ||
               plain.reports.file("--junit"));
  const auto full = parse_command<tool::tools::DeterminismCommand>(
      {"--against", "a", "--json", "j", "--junit", "x", "--threads", "2", "--instruction-set",
       "avx2"});
  EXPECT_EQ(full.against, "a");
  EXPECT_EQ(full.reports.file("--json"), "j");
  EXPECT_EQ(full.reports.file("--junit"), "x");
  EXPECT_EQ(full.threads, 2);
  EXPECT_EQ(full.instruction_set, "avx2");
  EXPECT_THAT(refusal<tool::tools::DeterminismCommand>({"--threads", "0"}),
              HasSubstr("--threads is '0'; expected a whole number from 1 to 1024"));
}

TEST(DeterminismProgram, ComparesWithTheContractIfNoFileIsGiven) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run("cd '" + folder.path().string() +
          "'; $N determinism --threads 3 --instruction-set baseline --junit j.xml");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(StartsWith("contract "), HasSubstr("\nthreads          3\n"),
                                 HasSubstr("\ninstruction_set  baseline of baseline"),
                                 HasSubstr(" norm/layer_norm_small\n"), HasSubstr("\nSAME: ")));
  EXPECT_THAT(support::report::junit_violations(read_file(folder / "j.xml")), testing::IsEmpty());
  EXPECT_THAT(read_file(folder / "j.xml"),
              AllOf(HasSubstr("failures=\"0\""), HasSubstr("name=\"norm/layer_norm_small\"")));
}

// Compares a run with a recording, and with a copy of the recording in which one bit is changed.
TEST(DeterminismProgram, FindsAnInjectedDifference) {
  const TemporaryFolder folder;
  const std::string enter = "cd '" + folder.path().string() + "'; ";
  ASSERT_EQ(run(enter + "$N determinism --threads 1 --json a.json").status, 0);
  const Outcome same = run(enter + "$N determinism --threads 2 --json b.json --against a.json");
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, AllOf(StartsWith("SAME: "), EndsWith(" probes have the bits of a.json\n")));
  EXPECT_EQ(std::ranges::count(same.out, '\n'), 1);
  // The two files differ only in the number of threads.
  EXPECT_EQ(replaced(read_file(folder / "a.json"), "\"threads\": \"1\"", "\"threads\": \"2\""),
            read_file(folder / "b.json"));

  // Changes one bit of the third value of sum/elements_normal, and the hash accordingly.
  write_file(
      folder / "plant.py",
      "import hashlib, json\n"
      "r = json.load(open('a.json'))\n"
      "p = next(p for p in r['probes'] if p['name'] == 'sum/elements_normal')\n"
      "v = p['values'].split()\n"
      "print(v[2], end=' ')\n"
      "v[2] = '%016x' % (int(v[2], 16) ^ 1)\n"
      "print(v[2], end='')\n"
      "p['values'] = ' '.join(v)\n"
      "p['sha256'] = hashlib.sha256(b''.join(bytes.fromhex(w)[::-1] for w in v)).hexdigest()\n"
      "json.dump(r, open('c.json', 'w'))\n");
  const Outcome planted = run(enter + "python3 plant.py");
  ASSERT_EQ(planted.status, 0) << planted.err;
  const std::string here = planted.out.substr(0, 16);
  const std::string there = planted.out.substr(17);
  const Outcome differs = run(enter + "$N determinism --against c.json --junit j.xml");
  EXPECT_EQ(differs.status, 1);
  EXPECT_EQ(differs.out, "DIFFERS from c.json: sum/elements_normal: value 3 of 21 is " + here +
                             " here, " + there + " there\n");
  EXPECT_THAT(
      read_file(folder / "j.xml"),
      AllOf(HasSubstr("failures=\"1\""), HasSubstr("<failure message=\"value 3 of 21 is ")));

  // If a value does not match its hash, the file was altered. It does not count as a difference
  // between machines.
  write_file(folder / "d.json", replaced(read_file(folder / "a.json"), here, there));
  const Outcome altered = run(enter + "$N determinism --against d.json");
  EXPECT_EQ(altered.status, 3);
  EXPECT_TRUE(is_one_sentence(altered.err)) << altered.err;
  EXPECT_THAT(altered.err, AllOf(HasSubstr("d.json: probes["), HasSubstr("].sha256 is "),
                                 HasSubstr("; expected that of its values, ")));
}

TEST(DeterminismProgram, ComparesRecordingsThatOnlyHaveHashes) {
  const Outcome outcome = run("$N determinism --against '" NORMPROOF_SOURCE_DIR
                              "/verification/checks/determinism/expected.json'");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("SAME: "), EndsWith(" expected.json\n")));
}

TEST(DeterminismProgram, RejectsInvalidUseBeforeTheWork) {
  const auto refused = [](const std::string& arguments, int status, const std::string& what) {
    const Outcome outcome = run("$N determinism " + arguments);
    EXPECT_EQ(outcome.status, status) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(what)) << arguments;
  };
  refused("--against /absent/f.json", 3, "/absent/f.json");
  refused("--threads 0", 2, "--threads is '0'; expected a whole number from 1 to ");
  refused("--instruction-set avx3", 2, "unknown instruction set 'avx3'");
  refused("--instruction-set ''", 2, "--instruction-set is ''");
  refused("--agianst f", 2, "did you mean '--against'?");
  refused("--json f.json --against f.json", 2, "--against and --json name the same file 'f.json'");
  refused("--json f --junit f", 2, "--json and --junit name the same file 'f'");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
