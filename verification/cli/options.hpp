#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/command.hpp"

// Functions that bind the fields of a command to options. They spare commands CLI11's headers,
// which are slow to compile.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace normproof::verification::cli {

using Texts = std::vector<std::string>;

/// How an option reads and writes its field.
struct Binding {
  /// Sets the field to the given texts: one, or several if the option takes several.
  /// Throws    UsageError
  std::function<void(const Texts& given)> read;
  /// Returns the texts that would set the field to its current value; nothing if it is absent.
  std::function<Texts()> write;
};

/// Adds an option `--name TYPE`, or an argument if the name has no dashes. `help` is wrapped at
/// spaces.
CLI::Option* add_bound(CLI::App& app, const std::string& name, Binding binding,
                       const std::string& help, const std::string& type);

/// Lets the option take one or more values and be repeated.
CLI::Option* accept_several(CLI::Option* option);
CLI::Option* require(CLI::Option* option);

/// The texts that an option accepts, and the message if it rejects one.
struct TextRule {
  bool (*accepts)(const std::string& text);
  const char* expectation;  ///< such as "a command for sh"
};

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& field,
                      const std::string& help, const std::string& type,
                      std::optional<TextRule> rule = std::nullopt);
CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& field,
                      const std::string& help, const std::string& type,
                      std::optional<TextRule> rule = std::nullopt);
CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& field, const std::string& help);

/// Adds an option for the name of a file, which must not be ''.
CLI::Option* add_file(CLI::App& app, const std::string& name, std::filesystem::path& field,
                      const std::string& help);
CLI::Option* add_file(CLI::App& app, const std::string& name,
                      std::optional<std::filesystem::path>& field, const std::string& help);
CLI::Option* add_folder(CLI::App& app, const std::string& name, std::filesystem::path& field,
                        const std::string& help);
CLI::Option* add_folder(CLI::App& app, const std::string& name,
                        std::optional<std::filesystem::path>& field, const std::string& help);

/// NAME=VALUE options, which may be repeated, in their order.
using Settings = std::vector<std::pair<std::string, std::string>>;
CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& field,
                          const std::string& help, const std::string& type,
                          const std::string& example);

/// Adds an option for names separated by commas; it may be repeated.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& field,
                      const std::string& help);

/// Sets the text below the options in --help.
void set_footer(CLI::App& app, const std::string& text);

bool is_given(const CLI::App& app, const std::string& name);

/// Calls `check` once all options are read, to check their combination.
void check_afterwards(CLI::App& app, std::function<void()> check);

/// Requires exactly one of these options.
/// Throws    UsageError if none or several are given
void require_one_of(CLI::App& app, const std::vector<std::string>& names);

/// Splits the text at commas.
/// Throws    UsageError if a part is empty
Texts split_list(const std::string& option, const std::string& text);

/// Wraps the text into the lines that --help shows.
std::string help_lines(const std::string& text);

/// Returns a command without options of its own: a group, such as `golden`, or the program.
Command group(std::string name, std::string summary, const std::string& footer,
              std::vector<Command> verbs);

}  // namespace normproof::verification::cli
