#include "verification/cli/shell_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "verification/cli/golden/golden_check.hpp"
#include "verification/cli/tools/apply.hpp"
#include "verification/support/process/program.hpp"

namespace normproof::tests::verification::cli {
namespace {

using tool::shell_line;

TEST(ShellLine, OmitsOptionsThatHaveTheirDefault) {
  tool::golden::GoldenCheckCommand command;
  EXPECT_EQ(shell_line("golden check", command), "normproof golden check");
  command.golden = "a b/it's";
  command.candidate = "c";
  command.timeout = 5;
  command.options.outputs = {"y", "grad_x"};
  command.options.formula = normproof::verification::golden::tolerance::Formula::one_pass;
  command.only = "*x*";
  command.jobs = tool::processor_count() + 1;
  command.reports.file("--junit") = "r.xml";
  EXPECT_EQ(shell_line("golden check", command),
            "normproof golden check --golden 'a b/it'\\''s' --candidate c --timeout 5 --outputs "
            "y,grad_x --formula one_pass --only '*x*' --junit r.xml --jobs " +
                std::to_string(tool::processor_count() + 1));
}

TEST(ShellLine, HasArgumentsFlagsAndSettings) {
  tool::tools::ApplyCommand command;
  command.layer = "rms_norm";
  command.in = "x.npz";
  command.out = "y.npz";
  command.scalar = tool::tools::ApplyArithmetic::interval;
  command.settings = {{"eps", "1e-3"}, {"name", "a b"}};
  command.sequence = true;
  EXPECT_EQ(shell_line("apply", command),
            "normproof apply rms_norm --in x.npz --out y.npz --scalar interval --set eps=1e-3 "
            "'name=a b' --sequence");
}

TEST(ShellLine, QuotesCharactersThatAShellInterprets) {
  EXPECT_EQ(tool::shell_word("quick/layer_norm/a-1x2"), "quick/layer_norm/a-1x2");
  EXPECT_EQ(tool::shell_word(""), "''");
  EXPECT_EQ(tool::shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(tool::shell_word("a\nb %'\xff"), "\"$(printf 'a\\012b\\040\\045\\047\\377')\"");
}

TEST(ShellLine, ShellReadsBackTheOriginalText) {
  for (const std::string& text :
       {std::string("a b"), std::string("it's \"quoted\" \\ `x` $(y) $z * ? ~ # ; & | < > ( ) !"),
        std::string("two\nlines\tand a tab"), std::string("\x01\x7f\xff\xc3\xa9 %s \\n \\012"),
        std::string("\xc3\xa9t\xc3\xa9"), std::string("-x"), std::string("~"), std::string()}) {
    const auto said = normproof::verification::support::process::run_program(
        {"sh", "-c", "printf %s " + tool::shell_word(text)}, "", {"PATH=/usr/bin:/bin"});
    EXPECT_EQ(said.out, text);
    EXPECT_EQ(said.err, "");
  }
}

TEST(ShellLine, ValueThatLooksLikeAnOptionGetsAnEqualSign) {
  tool::golden::GoldenCheckCommand command;
  command.golden = "-g";
  command.candidate = "--c d";
  command.only.globs = {"a", "b*"};
  EXPECT_EQ(shell_line("golden check", command),
            "normproof golden check --golden=-g --candidate='--c d' --only a 'b*'");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
