#include "verification/cli/tools/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using testing::HasSubstr;

TEST(RenderProgram, WritesEveryFormat) {
  const tests::ref::io::TemporaryFolder folder;
  write_file(folder / "d.json",
             R"({"title": "Board", "parts": [{"table": "", "columns": [{"name": "row"}],
                 "rows": [{"cells": ["torch"]}]}]})");
  const std::string in = "cd '" + folder.path().string() + "'; $N render --document d.json";
  const Outcome done = run(in + " --markdown d.md --html d.html");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("torch"));
  EXPECT_EQ(read_file(folder / "d.md"), "| row |\n|---|\n| torch |\n");
  EXPECT_THAT(read_file(folder / "d.html"), HasSubstr("<title>Board</title>"));

  ASSERT_EQ(run(in + " --json again.json").status, 0);
  const Outcome again = run("cd '" + folder.path().string() + "'; $N render --document again.json");
  EXPECT_EQ(again.out, done.out);

  const Outcome refused = run(in + " --html d.json");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(is_one_sentence(refused.err)) << refused.err;
}

TEST(RenderProgram, RejectsInvalidDocuments) {
  const tests::ref::io::TemporaryFolder folder;
  write_file(folder / "d.json", "[]");
  const Outcome refused = run("$N render --document '" + (folder / "d.json").string() + "'");
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(is_one_sentence(refused.err)) << refused.err;
  EXPECT_EQ(refusal<tool::tools::RenderCommand>({}).empty(), false);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
