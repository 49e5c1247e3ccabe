#include "verification/cli/tools/elementary.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/hexadecimal.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/checks/elementary/functions.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::tools;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using testing::HasSubstr;

std::string exp_of(const std::string& lines) {
  return elementary_lines(ElementaryFunction::exp, lines);
}

TEST(ElementaryOptions, ParsesAFunction) {
  EXPECT_EQ(parse_command<ElementaryCommand>({"erf"}).function, ElementaryFunction::erf);
  EXPECT_EQ(parse_command<ElementaryCommand>({"sqrt"}).function, ElementaryFunction::sqrt);
  EXPECT_THAT(refusal<ElementaryCommand>({}), HasSubstr("FUNCTION is required"));
  EXPECT_THAT(refusal<ElementaryCommand>({"tan"}),
              HasSubstr("unknown function 'tan'; did you mean 'tanh'?"));
  EXPECT_THAT(refusal<ElementaryCommand>({"exp", "log"}),
              HasSubstr("unexpected argument 'log' of elementary"));
}

TEST(ElementaryLines, PrintsOneHexadecimalNumberPerLine) {
  EXPECT_EQ(exp_of("0\n1\n-inf\n"), "0x1p+0\n0x1.5bf0a8b145769p+1\n0x0p+0\n");
  EXPECT_EQ(elementary_lines(ElementaryFunction::log, "0\n-1\n0x1p+1"),
            "-inf\nnan\n0x1.62e42fefa39efp-1\n");
  EXPECT_EQ(elementary_lines(ElementaryFunction::tanh, "-0\n0x0.0000000000001p-1022\n"),
            "-0x0p+0\n0x0.0000000000001p-1022\n");
  EXPECT_EQ(elementary_lines(ElementaryFunction::erf, "6\n"), "0x1p+0\n");
  EXPECT_EQ(elementary_lines(ElementaryFunction::sqrt, "4\n-1\n-0\n"), "0x1p+1\nnan\n-0x0p+0\n");
}

TEST(ElementaryLines, AcceptsEveryNotationOfANumber) {
  for (const char* text :
       {"1.5", "+1.5", " 1.5\t", "1.5\r", "15e-1", "0x1.8", "0X1.8P+0", "0x3p-1", "0x.18p+4"}) {
    EXPECT_EQ(exp_of(text), exp_of("1.5")) << text;
  }
  EXPECT_EQ(exp_of("NaN\n-nan\nInfinity\n"), "nan\nnan\ninf\n");
}

TEST(ElementaryLines, ErrorNamesAnInvalidLine) {
  for (const char* text : {"x", "1.5x", "1 2", "", "--1", "+-1", "0x", "0xinf", "0x-1", "1e400",
                           "1e-400", "-", "e5"}) {
    EXPECT_THAT(error_message<FileError>([&] { exp_of(std::string("1\n") + text + "\n2\n"); }),
                HasSubstr(fmt::format("standard input, line 2: '{}' is no double", text)));
  }
  EXPECT_THAT(error_message<FileError>([] { exp_of(""); }), HasSubstr("standard input is empty"));
}

TEST(ElementaryLines, ProgramPrintsCorrectlyRoundedResults) {
  namespace judge = normproof::verification::checks::elementary;
  for (const judge::Function& f : judge::functions()) {
    std::string lines, expected;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const double x = judge::argument(f, 9, i), y = judge::nearest(f, x);
      lines += normproof::ref::numeric::hexadecimal(x) + "\n";
      expected += normproof::ref::numeric::hexadecimal(y) + "\n";
    }
    const tests::ref::io::TemporaryFolder folder;
    write_file(folder / "in", lines);
    const Outcome outcome =
        run("$N elementary " + f.name + " < '" + (folder / "in").string() + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected) << f.name;
  }
}

TEST(ElementaryLines, ProgramReportsErrorsWithTheirExitStatus) {
  const Outcome bad = run("printf '1\\n1,5\\n' | $N elementary exp");
  EXPECT_EQ(bad.status, 3);
  EXPECT_THAT(bad.err, HasSubstr("line 2: '1,5' is no double"));
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(run("$N elementary exp < /dev/null").status, 3);
  const Outcome folder = run("$N elementary exp < /");
  EXPECT_EQ(folder.status, 3);
  EXPECT_THAT(folder.err, HasSubstr("standard input cannot be read"));
  const Outcome unknown = run("echo 1 | $N elementary tan");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown function 'tan'; did you mean 'tanh'?"));
  EXPECT_EQ(run("echo 1 | $N elementary").status, 2);
  EXPECT_THAT(run("$N elementary --help").out, HasSubstr("standard input"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
