#include "verification/cli/verify/checkers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/small_corpus.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using testing::HasSubstr;
using tests::ref::io::TemporaryFolder;
using State = CheckerReport::State;

CheckerReport outcome(int status, const std::string& out, const std::string& err = "") {
  return parse_outcome(proofs_checker(), status, out, err);
}

TEST(ProofCheckers, OutputLineAboutAClaimBecomesAnItem) {
  const CheckerReport report =
      outcome(0, "proved  A11  A11_grad_beta, backward.v: no axiom\nPASSED: 1 theorem\n");
  EXPECT_EQ(report.state, State::passed);
  EXPECT_EQ(report.summary, "1 theorem");
  ASSERT_EQ(report.items.size(), 1u);
  EXPECT_EQ(report.items[0].claim, "A11");
  EXPECT_EQ(report.items[0].verdict, "proved");
  EXPECT_EQ(report.items[0].text, "A11_grad_beta, backward.v: no axiom");
  EXPECT_TRUE(report.items[0].good);
}

TEST(ProofCheckers, EveryOutputExceptAPassIsAFailure) {
  // The checker fails if an item failed, whatever the exit status; if the output has no items or no
  // last line; and if the exit status is not 0.
  EXPECT_EQ(outcome(0, "FAILED  A1   A1_x: rests on y\nPASSED: 1 theorem\n").state, State::failed);
  EXPECT_EQ(outcome(0, "PASSED: 0 theorems\n").state, State::failed);
  EXPECT_EQ(outcome(0, "proved  A1   A1_x\n").state, State::failed);
  EXPECT_EQ(outcome(1, "proved  A1   A1_x\nPASSED: 1 theorem\n").state, State::failed);
  EXPECT_EQ(outcome(1, "FAILED  sums.v: Syntax error\n").summary, "sums.v: Syntax error");
  EXPECT_EQ(outcome(3, "", "check: no theorem in these files\n").summary,
            "check: no theorem in these files");
  EXPECT_EQ(outcome(1, "").summary, "it said nothing");
}

TEST(ProofCheckers, ExitStatus77MeansSkippedWithAReason) {
  const CheckerReport report = outcome(77, "", "check: skipped: coqc not installed\n");
  EXPECT_EQ(report.state, State::skipped);
  EXPECT_EQ(report.summary, "coqc not installed");
}

TEST(ProofCheckers, FindsTheCheckoutAroundTheProgramOrTheFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "top/a/b");
  std::filesystem::create_directories(folder / "elsewhere");
  write_file(folder / "top/a/check", "");
  const auto found = find_in_checkout("a/check", {folder / "elsewhere", folder / "top/a/b"});
  EXPECT_EQ(found, folder / "top/a/check");
  EXPECT_THAT(
      error_message<FileError>([&] { find_in_checkout("a/check", {folder / "elsewhere"}); }),
      HasSubstr("an installed program has neither theorems nor instances"));
}

/// A test fixture with a folder that has only a copy of the program and a given checker script.
class VerifyProofs : public testing::Test {
 protected:
  Outcome verify(const std::string& checker, const std::string& more = "") {
    std::filesystem::create_directories(folder_ / "top/verification/claims/proofs");
    std::filesystem::create_directories(folder_ / "top/bin");
    const auto file = folder_ / "top/verification/claims/proofs/check";
    write_file(file, "#!/bin/sh\n" + checker);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return run("cd '" + folder_.path().string() + "/top'; cp $N bin/normproof; " +
               "bin/normproof verify --claims T4 --cases 5 --proofs " + more +
               write_small_corpus(folder_.path()));
  }
  TemporaryFolder folder_;
};

TEST_F(VerifyProofs, AreSkippedWithTheReasonIfCoqIsMissing) {
  const Outcome outcome = verify("echo 'check: skipped: coqc not installed' >&2; exit 77",
                                 "--json r.json --junit r.xml --html r.html");
  EXPECT_EQ(outcome.status, 77) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("--proofs: skipped: coqc not installed."));
  const auto json = nlohmann::json::parse(read_file(folder_ / "top/r.json"));
  EXPECT_EQ(json.at("passed"), false);
  EXPECT_EQ(json.at("checkers").at(0).at("outcome"), "skipped");
  EXPECT_THAT(read_file(folder_ / "top/r.xml"),
              HasSubstr("<skipped message=\"coqc not installed\""));
  EXPECT_THAT(read_file(folder_ / "top/r.html"), HasSubstr("skipped: coqc not installed"));
}

TEST_F(VerifyProofs, RunInTheBuildFolderOfThePreset) {
  verify("echo \"$*\" >&2; exit 3", "--jobs 2");
  const Outcome outcome = run(
      "cd '" + folder_.path().string() + "/top'; mkdir -p build/own/cli; cp $N build/own/cli/n; " +
      "build/own/cli/n verify --claims T4 --cases 5 --proofs --jobs 2 --json r.json" +
      write_small_corpus(folder_.path()));
  const auto json = nlohmann::json::parse(read_file(folder_ / "top/r.json"));
  const std::string said = json.at("checkers").at(0).at("summary");
  EXPECT_THAT(said, HasSubstr("--jobs 2 --among T4 --build"));
  EXPECT_THAT(said, HasSubstr("/top/build/own/proofs"));
}

/// A test fixture for the arguments that `normproof verify` passes to the checkers. `arguments`
/// returns one line per checker.
class VerifyClaims : public testing::Test {
 protected:
  std::vector<std::string> arguments(const std::string& options) {
    for (const char* name :
         {"top/verification/claims/proofs/check", "top/verification/claims/proofs/smt/check"}) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      write_file(folder_ / name, "#!/bin/sh\necho \"$*\" >&2; exit 3");
      std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    }
    run("cd '" + folder_.path().string() + "/top'; mkdir -p bin; cp $N bin/normproof; " +
        "bin/normproof verify --cases 1 --jobs 2 --proofs --smt --json r.json " + options +
        write_small_corpus(folder_.path()));
    std::vector<std::string> said;
    const auto json = nlohmann::json::parse(read_file(folder_ / "top/r.json"));
    for (const auto& checker : json.at("checkers")) said.push_back(checker.at("summary"));
    return said;
  }
  TemporaryFolder folder_;
};

TEST_F(VerifyClaims, SelectedClaimsArePassedToBothCheckers) {
  const auto chosen = testing::StartsWith("--jobs 2 --among T4,B1,B10,B11,");
  EXPECT_THAT(arguments("--claims 'T4, B1*'"), testing::ElementsAre(chosen, chosen));
  EXPECT_THAT(arguments("--claims '*'"), testing::ElementsAre("--jobs 2", "--jobs 2"));
}

TEST_F(VerifyProofs, FailIfATheoremFails) {
  const Outcome outcome =
      verify("echo 'FAILED  A1   A1_batch_norm, backward.v: rests on magic'; exit 1",
             "--json r.json --junit r.xml");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("FAILED: 1 claim as expected"));
  EXPECT_THAT(outcome.out, HasSubstr("rests on magic"));
  EXPECT_THAT(read_file(folder_ / "top/r.xml"),
              HasSubstr("<failure message=\"FAILED: A1_batch_norm"));
  const auto json = nlohmann::json::parse(read_file(folder_ / "top/r.json"));
  EXPECT_EQ(json.at("checkers").at(0).at("theorems").at(0).at("verdict"), "FAILED");
}

TEST_F(VerifyProofs, FailIfTheCheckoutLacksATheoremOfTheLedger) {
  const Outcome outcome = verify(
      "echo 'proved  A1   A1_batch_norm, backward.v: no axiom'\n"
      "echo 'PASSED: 1 theorem about 1 claim'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("theorem T4_batch_norm_sees_the_batch of the ledger is not"));
}

TEST_F(VerifyProofs, RequireASourceCheckout) {
  const Outcome outcome = run("cp $N '" + (folder_ / "normproof").string() + "'; cd '" +
                              folder_.path().string() + "'; ./normproof verify --proofs --cases 1");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("expected a checkout of normproof's sources"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
