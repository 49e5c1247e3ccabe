#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/command.hpp"

// Functions that connect options with the members of a command. Commands that include this header
// do not need CLI11's headers, which take long to compile.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace normproof::verification::cli {

using Texts = std::vector<std::string>;

/// The functions with which an option reads and writes a member of a command.
struct OptionBinding {
  /// Sets the member of the command from the given texts. There is more than one text only if the
  /// option takes several.
  /// Throws    UsageError
  std::function<void(const Texts& given)> read;
  /// Returns the texts that would set the member to its current value. Returns nothing if the
  /// member has no value.
  std::function<Texts()> write;
};

/// Adds an option `--name TYPE`, or a positional argument if the name has no dashes. The text
/// `help` is broken into lines at spaces.
CLI::Option* add_bound_option(CLI::App& app, const std::string& name, OptionBinding binding,
                              const std::string& help, const std::string& type);

/// Allows several values after the option, and allows the option to occur several times.
CLI::Option* accept_several_values(CLI::Option* option);
CLI::Option* require(CLI::Option* option);

/// Defines which texts an option accepts, and what its error message says.
struct TextConstraint {
  bool (*accepts)(const std::string& text);
  /// The words of the error message that say what is expected, such as "a command for sh".
  const char* expectation;
};

CLI::Option* add_text_option(CLI::App& app, const std::string& name, std::string& field,
                             const std::string& help, const std::string& type,
                             std::optional<TextConstraint> rule = std::nullopt);
CLI::Option* add_text_option(CLI::App& app, const std::string& name,
                             std::optional<std::string>& field, const std::string& help,
                             const std::string& type,
                             std::optional<TextConstraint> rule = std::nullopt);
CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& field, const std::string& help);

/// Adds an option whose value is the name of a file. The name must not be empty.
CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::filesystem::path& field,
                             const std::string& help);
CLI::Option* add_file_option(CLI::App& app, const std::string& name,
                             std::optional<std::filesystem::path>& field, const std::string& help);
CLI::Option* add_folder_option(CLI::App& app, const std::string& name, std::filesystem::path& field,
                               const std::string& help);
CLI::Option* add_folder_option(CLI::App& app, const std::string& name,
                               std::optional<std::filesystem::path>& field,
                               const std::string& help);

/// Options of the form NAME=VALUE in the order in which they were given; a name may occur several
/// times.
using Settings = std::vector<std::pair<std::string, std::string>>;
CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& field,
                          const std::string& help, const std::string& type,
                          const std::string& example);

/// Adds an option whose value is a list of names, separated by commas. It may be given several
/// times.
CLI::Option* add_list_option(CLI::App& app, const std::string& name,
                             std::vector<std::string>& field, const std::string& help);

/// Sets the text that --help shows below the options.
void set_footer(CLI::App& app, const std::string& text);

bool is_given(const CLI::App& app, const std::string& name);

/// Calls `check` after all options have been read, so that it can check their combination.
void check_after_parsing(CLI::App& app, std::function<void()> check);

/// Requires that exactly one of these options is given.
/// Throws    UsageError if none or several are given
void require_one_option_of(CLI::App& app, const std::vector<std::string>& names);

/// Splits the text at commas. `option` is the name for error messages.
/// Throws    UsageError if a part is empty
Texts split_list(const std::string& option, const std::string& text);

/// Breaks the text into lines of the width that --help has.
std::string help_lines(const std::string& text);

/// Returns a command that has no options: a group of commands such as `golden`, or the program.
Command group(std::string name, std::string summary, const std::string& footer,
              std::vector<Command> subcommands);

}  // namespace normproof::verification::cli
