#include <string>
#include <vector>

#include "verification/cli/program.hpp"
#include "verification/cli/program/commands.hpp"

int main(int argc, char** argv) {
  namespace cli = normproof::verification::cli;
  return cli::run_program(cli::program::all_commands,
                          std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
