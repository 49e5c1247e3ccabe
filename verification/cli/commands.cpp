#include "verification/cli/commands.hpp"

#include "verification/cli/elementary.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/tokenize.hpp"
#include "verification/cli/weights.hpp"

namespace normproof::verification::cli {
namespace {

constexpr const char* kDescription =
    "normproof checks what is claimed about BatchNorm, LayerNorm and PowerNorm, and computes "
    "them\nwith the same bits on every machine.\n";

constexpr const char* kFooter = R"(Each command has a --help of its own.

Exit status:
  0  everything is as expected
  1  a claim is not, a bit differs, or a computation failed
  2  the command line is wrong
  3  a file is absent, empty, damaged or not of its format, or cannot be written
  77 there is no GPU to run on

Examples:
  normproof verify --html report.html
  normproof eval layer_norm --in x.npz --out y.npz
  normproof tokenize | head -3
  echo 1 | normproof elementary exp
  normproof determinism
  normproof golden check --golden golden --candidate answers
  normproof regress compare --history h.jsonl
  normproof train --out run
  normproof weights --run run --out weights.npz
  normproof study run --quick --out s && normproof study report --out s)";

/// What has no options of its own: a group, or the program.
Command group(std::string name, std::string summary, std::string footer,
              std::vector<Command> verbs) {
  return {std::move(name), std::move(summary),
          [footer](CLI::App& app) {
            set_footer(app, footer);
            return Run();
          },
          std::move(verbs)};
}

}  // namespace

Command all_commands() {
  return group(
      "normproof", kDescription, kFooter,
      {command<TokenizeCommand>(), command<ElementaryCommand>(), command<WeightsCommand>()});
}

}  // namespace normproof::verification::cli
