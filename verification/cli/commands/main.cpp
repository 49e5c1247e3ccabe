#include <string>
#include <vector>

#include "verification/cli/commands/commands.hpp"
#include "verification/cli/program.hpp"

int main(int argc, char** argv) {
  namespace cli = normproof::verification::cli;
  return cli::run_program(cli::commands::all_commands,
                          std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
