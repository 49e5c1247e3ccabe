#include <string>
#include <vector>

#include "verification/cli/program.hpp"
#include "verification/cli/verify/verify.hpp"

// A program with the command `normproof verify` only. It needs less than half of the modules, so
// that `verification/run` has its result before the rest is built.

namespace {

namespace cli = normproof::verification::cli;

cli::Command verify_alone() {
  return {"normproof",
          "Holds the claims of the literature against the reference.",
          [](CLI::App&) { return cli::Run(); },
          {cli::command<cli::verify::VerifyCommand>()}};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  arguments.insert(arguments.begin(), "verify");
  return cli::run_program(verify_alone, arguments);
}
