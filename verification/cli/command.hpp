#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace normproof::verification::cli {

enum ExitStatus : int {
  kSuccess = 0,
  kNumericalFailure = 1,
  kUsageError = 2,
  kFileError = 3,
  kNoDevice = 77,
};

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

/// Makes a command whose options are the fields of a new T for each command line. T must have a
/// `name`, a `summary`, `void add(CLI::App&)` and `ExitStatus run() const`. It may have a
/// `former_name`.
template <class T>
Command command() {
  Command result = {T::name, T::summary, [](CLI::App& app) -> Run {
                      const auto options = std::make_shared<T>();
                      options->add(app);
                      return [options] { return options->run(); };
                    }};
  if constexpr (requires { T::former_name; }) result.former_name = T::former_name;
  return result;
}

}  // namespace normproof::verification::cli
