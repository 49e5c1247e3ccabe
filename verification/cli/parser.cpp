#include "verification/cli/parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/standard_streams.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;

namespace {

constexpr int kNameColumns = 22;

/// For each command, the function that runs it.
using RunFunctions = std::map<const CLI::App*, Run>;

void add_command(CLI::App& app, const Command& command, RunFunctions& runs) {
  // refuse_unknown reports unknown arguments and suggests the nearest known name
  app.allow_extras();
  for (const Command& verb : command.subcommands) {
    CLI::App& added = *app.add_subcommand(verb.name, help_lines(verb.summary));
    added.group("Commands");
    add_command(added, verb, runs);
  }
  runs[&app] = command.add(app);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional()) names.push_back("--" + option->get_lnames().at(0));
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

/// Returns the names of a command and of its groups, without the name of the program: "golden
/// make".
std::string command_words(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  if (parent == nullptr) return "";
  return command_words(*parent) + (parent->get_parent() == nullptr ? "" : " ") + app.get_name();
}

/// Returns what an error message calls the commands of a group: "golden command", or "command" for
/// the program.
std::string command_kind(const CLI::App& app) {
  return app.get_parent() == nullptr ? "command" : command_words(app) + " command";
}

/// Returns the error message for an unknown option, which suggests the nearest known one. If no
/// known option is near and the command has the option --set, the message shows how to use --set
/// instead.
std::string unknown_option(const CLI::App& app, const std::string& name) {
  std::string text = ref::numeric::unknown_name("option", name, option_names(app));
  const std::size_t known = text.find("; known: ");
  if (known != std::string::npos && app.get_option_no_throw("--set") != nullptr)
    text.insert(known, fmt::format("; a setting is given as --set {}=VALUE",
                                   name.substr(name.find_first_not_of('-'))));
  return text;
}

void refuse_unknown(const CLI::App& app) {
  if (app.get_prefix_command()) return;  // this command reports unknown arguments itself
  if (const std::vector<std::string> extras = app.remaining(); !extras.empty()) {
    const std::string& first = extras.front();
    if (first.starts_with("-"))
      throw UsageError(unknown_option(app, first.substr(0, first.find('='))));
    if (const auto known = subcommand_names(app); !known.empty())
      throw UsageError(ref::numeric::unknown_name(command_kind(app), first, known));
    throw UsageError(fmt::format("unexpected argument '{}' of {}; expected options alone", first,
                                 command_words(app)));
  }
  for (const CLI::App* verb : app.get_subcommands()) refuse_unknown(*verb);
}

/// Returns the command that the arguments select. The command may be inside nested groups.
const CLI::App& find_selected_command(const CLI::App& app) {
  const std::vector<std::string> known = subcommand_names(app);
  if (known.empty()) return app;
  const std::vector<CLI::App*> given = app.get_subcommands();
  if (given.size() == 1) return find_selected_command(*given.front());
  const std::string words = command_words(app);
  throw UsageError(fmt::format("{} {} is given; expected one of {} (see normproof {}{}--help)",
                               given.empty() ? "no" : "more than one", command_kind(app),
                               fmt::join(known, ", "), words, words.empty() ? "" : " "));
}

bool requests_help(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return app.get_help_ptr()->count() > 0 ||
         std::ranges::any_of(given, [](const CLI::App* verb) { return requests_help(*verb); });
}

/// Returns an option that was given several times although it allows only one, or null.
const CLI::Option* find_repeated_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (static_cast<int>(option->count()) > std::max(option->get_items_expected_max(), 1))
      return option;
  for (const CLI::App* verb : app.get_subcommands())
    if (const CLI::Option* const found = find_repeated_option(*verb)) return found;
  return nullptr;
}

std::string join_to_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Returns a required option that was not given, or null.
const CLI::Option* find_missing_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && option->count() == 0) return option;
  for (const CLI::App* verb : app.get_subcommands())
    if (const CLI::Option* const found = find_missing_option(*verb)) return found;
  return nullptr;
}

/// Returns the option of this name if it exists and takes a value, otherwise null.
const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0 && option->check_name(name)) return option;
  for (const CLI::App* verb : app.get_subcommands())
    if (const CLI::Option* const found = find_option(*verb, name)) return found;
  return nullptr;
}

/// Returns the end of an error message: "expected FILE: The tensors that go in".
std::string describe_expected(const CLI::Option& option) {
  return fmt::format("expected {}: {}",
                     option.get_positional() ? option.get_name() : option.get_type_name(),
                     join_to_one_line(option.get_description()));
}

/// Returns the error message for an exception of CLI11. The class of the exception says what kind
/// of error occurred.
std::string describe_error(const CLI::App& app, const CLI::ParseError& error,
                           const std::string& last_argument) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (const CLI::Option* const repeated = find_repeated_option(app))
      return fmt::format("{} is given more than once; expected once", repeated->get_name());
    // Only the last option can lack a value; for any other option, CLI11 takes the next argument as
    // the value.
    if (const CLI::Option* const valueless = find_option(app, last_argument))
      return fmt::format("{} is given without a value; {}", last_argument,
                         describe_expected(*valueless));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    if (const CLI::Option* const missing = find_missing_option(app))
      return fmt::format("{} is required; {}", missing->get_name(), describe_expected(*missing));
  return join_to_one_line(error.what());
}

Run print(const std::string& text) {
  return [text] {
    write_stdout(text);
    return kSuccess;
  };
}

/// Throws an error for an empty value such as "--junit=". Otherwise CLI11 would take the next
/// argument as the value.
void refuse_empty_value(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (argument.starts_with("--") && equals + 1 == argument.size() &&
        argument.find_first_of(" \t\n/") == std::string::npos)
      throw UsageError(fmt::format("{} is given without a value; expected {}VALUE",
                                   argument.substr(0, equals), argument));
  }
}

/// If the arguments use the former name of a command, replaces it by the present name.
/// Returns   a notice of the new name; empty if the present name was used
std::string rename_command(const Command& program, std::vector<std::string>& arguments) {
  const Command* called = &program;
  for (std::string& word : arguments) {
    const auto verb = std::ranges::find_if(called->subcommands, [&](const Command& one) {
      return one.name == word || (!one.former_name.empty() && one.former_name == word);
    });
    if (verb == called->subcommands.end()) break;
    if (verb->name != word)
      return fmt::format("normproof: '{}' is now called '{}'\n", std::exchange(word, verb->name),
                         verb->name);
    called = &*verb;
  }
  return "";
}

Run parse_present_names(const Command& program, const std::vector<std::string>& arguments) {
  CLI::App app(program.summary, program.name);
  app.set_version_flag("--version", "normproof " NORMPROOF_VERSION + program.versions);
  app.get_formatter()->column_width(kNameColumns);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Subcommands", "Commands");
  RunFunctions runs;
  add_command(app, program, runs);
  refuse_empty_value(arguments);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return print(app.help());
  } catch (const CLI::CallForVersion&) {
    return print(app.version() + "\n");
  } catch (const CLI::ParseError& error) {
    if (requests_help(app)) return print(app.help());
    refuse_unknown(app);
    throw UsageError(describe_error(app, error, arguments.empty() ? "" : arguments.back()));
  } catch (const UsageError&) {
    if (requests_help(app)) return print(app.help());
    refuse_unknown(app);
    throw;
  }
  refuse_unknown(app);
  return runs.at(&find_selected_command(app));
}

}  // namespace

Run parse_arguments(const Command& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> present = arguments;
  const std::string notice = rename_command(program, present);
  Run run = parse_present_names(program, present);
  if (notice.empty()) return run;
  return [notice, run] {
    write_stderr(notice);
    return run();
  };
}

}  // namespace normproof::verification::cli
