#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/command.hpp"

// A command binds its fields to options with what is here, and needs no header of CLI11, which is
// slow to compile.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace normproof::verification::cli {

using Texts = std::vector<std::string>;

/// An option and its field.
struct Binding {
  /// Sets the field to what is given: one text, several where the option takes several.
  /// Throws    UsageError
  std::function<void(const Texts& given)> read;
  /// What would set the field to what it is; nothing where it is absent.
  std::function<Texts()> write;
};

/// Adds an option `--name TYPE`, or an argument where the name has no dashes. `help` is broken into
/// lines at spaces.
CLI::Option* add_bound(CLI::App& app, const std::string& name, Binding binding,
                       const std::string& help, const std::string& type);

/// The option takes one value or more, and may be repeated.
CLI::Option* take_several(CLI::Option* option);
CLI::Option* require(CLI::Option* option);

/// Which texts an option takes, and what is said of them where it refuses another.
struct TextRule {
  bool (*accepts)(const std::string& text);
  const char* expectation;  ///< "a command for sh"
};

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& field,
                      const std::string& help, const std::string& type,
                      std::optional<TextRule> rule = std::nullopt);
CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& field,
                      const std::string& help, const std::string& type,
                      std::optional<TextRule> rule = std::nullopt);
CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& field, const std::string& help);

/// The name of a file: '' is refused.
CLI::Option* add_file(CLI::App& app, const std::string& name, std::filesystem::path& field,
                      const std::string& help);
CLI::Option* add_file(CLI::App& app, const std::string& name,
                      std::optional<std::filesystem::path>& field, const std::string& help);
CLI::Option* add_folder(CLI::App& app, const std::string& name, std::filesystem::path& field,
                        const std::string& help);
CLI::Option* add_folder(CLI::App& app, const std::string& name,
                        std::optional<std::filesystem::path>& field, const std::string& help);

/// NAME=VALUE, as often as one likes, in their order.
using Settings = std::vector<std::pair<std::string, std::string>>;
CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& field,
                          const std::string& help, const std::string& type,
                          const std::string& example);

/// Names with commas between; the option may be given again.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& field,
                      const std::string& help);

/// What --help says below the options.
void set_footer(CLI::App& app, const std::string& text);

bool is_given(const CLI::App& app, const std::string& name);

/// Calls `check` once all options are read: what one of them says of another.
void check_afterwards(CLI::App& app, std::function<void()> check);

/// Throws    UsageError unless exactly one of these options is given
void require_one_of(CLI::App& app, const std::vector<std::string>& names);

/// The parts between commas.
/// Throws    UsageError where one is empty
Texts split_list(const std::string& option, const std::string& text);

/// As one of several lines, as --help shows it.
std::string help_lines(const std::string& text);

/// Returns a command without options of its own: a group, such as `golden`, or the program.
Command group(std::string name, std::string summary, const std::string& footer,
              std::vector<Command> verbs);

}  // namespace normproof::verification::cli
