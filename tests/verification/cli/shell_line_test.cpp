#include "verification/cli/shell_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "verification/cli/commands/eval.hpp"
#include "verification/cli/commands/golden_check.hpp"

namespace normproof::tests::verification::cli {
namespace {

using tool::shell_line;

TEST(ShellLine, HasWhatDiffersFromTheDefaults) {
  tool::commands::GoldenCheckCommand command;
  EXPECT_EQ(shell_line("golden check", command), "normproof golden check");
  command.golden = "a b/it's";
  command.candidate = "c";
  command.timeout = 5;
  command.options.outputs = {"y", "grad_x"};
  command.options.formula = normproof::verification::golden::gate::Formula::one_pass;
  command.only = "*x*";
  command.jobs = tool::processor_count() + 1;
  command.reports.junit = "r.xml";
  EXPECT_EQ(shell_line("golden check", command),
            "normproof golden check --golden 'a b/it'\\''s' --candidate c --timeout 5 --outputs "
            "y,grad_x --formula one_pass --only '*x*' --junit r.xml --jobs " +
                std::to_string(tool::processor_count() + 1));
}

TEST(ShellLine, HasArgumentsFlagsAndSettings) {
  tool::commands::EvalCommand command;
  command.layer = "rms_norm";
  command.in = "x.npz";
  command.out = "y.npz";
  command.scalar = tool::commands::EvalScalar::interval;
  command.settings = {{"eps", "1e-3"}, {"name", "a b"}};
  command.sequence = true;
  EXPECT_EQ(shell_line("eval", command),
            "normproof eval rms_norm --in x.npz --out y.npz --scalar interval --set eps=1e-3 "
            "'name=a b' --sequence");
}

TEST(ShellLine, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(tool::shell_word("quick/layer_norm/a-1x2"), "quick/layer_norm/a-1x2");
  EXPECT_EQ(tool::shell_word(""), "''");
  EXPECT_EQ(tool::shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
