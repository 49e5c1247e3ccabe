#include <string>
#include <vector>

#include "verification/cli/program.hpp"
#include "verification/cli/verify/verify.hpp"

// A program that has only the command `normproof verify`. It needs less than half of the modules,
// so `verification/run` can run it before the other modules are built.

namespace {

namespace cli = normproof::verification::cli;

cli::Command verify_program() {
  return {"normproof",
          "Holds the claims of the literature against the reference.",
          [](CLI::App&) { return cli::Run(); },
          {cli::command<cli::verify::VerifyCommand>()}};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  arguments.insert(arguments.begin(), "verify");
  return cli::run_program(verify_program, arguments);
}
