#include "verification/cli/golden/golden_export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli::golden {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using tool::golden::GoldenExportCommand;

TEST(GoldenExportOptions, ParsesEveryOption) {
  using Format = normproof::verification::golden::candidate::ExportFormat;
  const auto given = parse_command<GoldenExportCommand>(
      {"--golden", "g", "--format", "text", "--out", "o", "--only", "q/*"});
  EXPECT_EQ(given.golden, "g");
  EXPECT_EQ(given.format, Format::text);
  EXPECT_EQ(given.out, "o");
  EXPECT_EQ(given.only, "q/*");
  EXPECT_THAT(refusal<GoldenExportCommand>({"--golden", "g", "--out", "o"}),
              HasSubstr("--format is required; expected npz|onnx|text: "));
  EXPECT_THAT(refusal<GoldenExportCommand>({"--golden", "g", "--format", "txt"}),
              HasSubstr("unknown --format 'txt'; did you mean 'text'?"));
}

TEST(GoldenExport, ReportsWrittenAndSkippedCases) {
  const tests::ref::io::TemporaryFolder folder;
  const Outcome outcome =
      run("cd '" + folder.path().string() +
          "' && $N golden make --out g --only '*/scale_norm/random*' >&2 && $N golden "
          "export --golden g --format npz --out npz && ls npz/quick/scale_norm");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              StartsWith("npz: 3 cases; 1 left out, because npz has no bfloat16\nrandom-"));
  const Outcome again = run("cd '" + folder.path().string() +
                            "' && mkdir full && touch full/x && $N golden "
                            "make --out full");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err,
              HasSubstr("--out full is there already; expected the name of a new folder"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
