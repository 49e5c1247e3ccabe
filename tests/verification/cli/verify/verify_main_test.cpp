#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/small_corpus.hpp"

// Compares the program that `verification/run` builds first with the whole program.
namespace normproof::tests::verification::cli::verify {
namespace {

using tests::ref::io::TemporaryFolder;

/// Runs the program for `verify` alone, and `normproof verify`, with the same arguments. Expects
/// this exit status and equal output from the two programs.
void expect_same_output(const std::string& arguments, int status) {
  const Outcome alone = run("'" NORMPROOF_VERIFY_PROGRAM "' " + arguments);
  const Outcome whole = run("$N verify " + arguments);
  EXPECT_EQ(alone.status, status) << arguments << alone.err;
  EXPECT_EQ(alone.status, whole.status) << arguments;
  EXPECT_EQ(alone.out, whole.out) << arguments;
  EXPECT_EQ(alone.err, whole.err) << arguments;
}

TEST(VerifyOnlyProgram, PrintsTheSameAsNormproofVerify) {
  const TemporaryFolder folder;
  expect_same_output("--claims A1,T4 --cases 20" + write_small_corpus(folder.path()), 0);
  expect_same_output("--help", 0);
  expect_same_output("--cases 0", 2);
  expect_same_output("--clams A1", 2);
  expect_same_output("--data /absent/d --vocab /absent/v", 3);
}

TEST(VerifyOnlyProgram, WritesTheSameReportAsNormproofVerify) {
  const TemporaryFolder folder;
  const std::string alone = (folder / "alone.html").string(),
                    whole = (folder / "whole.html").string();
  const std::string arguments =
      " --claims A1 --cases 20" + write_small_corpus(folder.path()) + " --html '";
  EXPECT_EQ(run("'" NORMPROOF_VERIFY_PROGRAM "'" + arguments + alone + "'").status, 0);
  EXPECT_EQ(run("$N verify" + arguments + whole + "'").status, 0);
  EXPECT_FALSE(read_file(alone).empty());
  EXPECT_EQ(read_file(alone), read_file(whole));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
