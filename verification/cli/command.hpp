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

/// Runs a command with the options that were read.
using Run = std::function<ExitStatus()>;

/// A command of the program, a group of commands such as `golden`, or the program itself.
struct Command {
  std::string name;
  std::string summary;
  /// Adds the command's options to `app`, each bound to a field, and the text below them in --help.
  /// Returns   the function that runs the command after the options are read; nothing for a group
  std::function<Run(CLI::App& app)> add;
  std::vector<Command> verbs = {};  ///< the commands of a group
  std::string versions = {};        ///< for a program: lines that --version prints below its own
  std::string former_name = {};     ///< still accepted, with a line that names the new one
};

/// Runs a command whose options are read, and writes its output. A T has `Output run() const`. It
/// may have a member `reports`, the ReportOptions, and `std::vector<NamedFile> inputs() const`, the
/// files and folders that no report may replace.
/// Throws    UsageError or FileError before the work if a report could not be written; what run()
///           and write_output throw
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

/// Makes a command whose options are the fields of a new T for each command line. T must have a
/// `name`, a `summary`, `void add(CLI::App&)` and what run_command needs. It may have a
/// `former_name`.
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
