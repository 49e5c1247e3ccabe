#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/output.hpp"
#include "verification/cli/report_options.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// Runs a command whose options were already read.
using Run = std::function<ExitStatus()>;

/// A command of the program, a group of commands such as `golden`, or the whole program.
struct Command {
  std::string name;
  std::string summary;
  /// Adds the options of the command to `app`, and the text that --help shows below them. Each
  /// option writes to a member of the command.
  /// Returns   the function that runs the command after its options were read. The function is
  ///           empty for a group of commands
  std::function<Run(CLI::App& app)> add;
  std::vector<Command> subcommands = {};  ///< commands of the group
  std::string versions = {};              ///< for the program: further lines that --version prints
  /// Old name of the command; it is still accepted, with a notice of the new name.
  std::string former_name = {};
};

/// Runs a command whose options were read, and writes its output. The class T has a method `Output
/// run() const`. It may have a member `reports` of type ReportOptions, and a method
/// `std::vector<NamedFile> inputs() const`, which returns the files and folders that no report may
/// overwrite.
/// Throws    UsageError or FileError, before the command runs, if a report could not be written;
///           any exception of run() and of write_output
template <class T>
ExitStatus run_command(const T& command) {
  ReportOptions reports;
  if constexpr (requires { command.reports; }) reports = command.reports;
  std::vector<NamedFile> inputs;
  if constexpr (requires { command.inputs(); }) inputs = command.inputs();
  check_outputs(inputs, reports.named());
  const Output output = command.run();
  write_output(output, reports);
  return output.status;
}

/// Makes a command of the program from the class T. Each command line creates a new T, whose
/// members hold the values of the options. T must have a `name`, a `summary`, `void add(CLI::App&)`
/// and what run_command needs. It may have a `former_name`.
template <class T>
Command command() {
  Command result = {T::name, T::summary, [](CLI::App& app) -> Run {
                      const auto options = std::make_shared<T>();
                      options->add(app);
                      return [options] { return run_command(*options); };
                    }};
  if constexpr (requires { T::former_name; }) result.former_name = T::former_name;
  return result;
}

}  // namespace normproof::verification::cli
