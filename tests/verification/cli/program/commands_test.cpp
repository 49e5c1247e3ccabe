#include "verification/cli/program/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <sstream>

#include "tests/verification/cli/parsed.hpp"
#include "verification/cli/options.hpp"

// Tests properties that every command must have.
namespace normproof::tests::verification::cli::program {
namespace {

using testing::HasSubstr;

/// A command, and the words that call it. The list of words is empty for the program itself.
struct CommandWithWords {
  Arguments words;
  tool::Command command;

  Arguments append_arguments(const Arguments& more) const {
    Arguments all = words;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string text() const {
    std::string text = "normproof";
    for (const std::string& word : words) text += " " + word;
    return text;
  }
};

void add_command_with_words(const tool::Command& command, const Arguments& words,
                            std::vector<CommandWithWords>& all) {
  all.push_back({words, command});
  for (const tool::Command& verb : command.subcommands) {
    Arguments longer = words;
    longer.push_back(verb.name);
    add_command_with_words(verb, longer, all);
  }
}

/// Returns every command, including groups of commands and the program itself.
std::vector<CommandWithWords> list_commands_with_words() {
  std::vector<CommandWithWords> all;
  add_command_with_words(tool::program::all_commands(), {}, all);
  return all;
}

std::string print_help(const CommandWithWords& called) {
  testing::internal::CaptureStdout();
  const tool::ExitStatus status =
      tool::parse_arguments(tool::program::all_commands(), called.append_arguments({"--help"}))();
  std::string help = testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, tool::kSuccess) << called.text();
  return help;
}

std::string run_error_message(const Arguments& arguments) {
  return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
      [&] { tool::parse_arguments(tool::program::all_commands(), arguments); });
}

/// Adds the command to the app and returns its options except --help.
std::vector<CLI::Option*> list_command_options(CLI::App& app, const CommandWithWords& called) {
  called.command.add(app);
  return app.get_options(
      [&app](const CLI::Option* option) { return option != app.get_help_ptr(); });
}

TEST(AllCommands, HaveUniqueNames) {
  std::set<std::string> texts;
  for (const CommandWithWords& called : list_commands_with_words())
    EXPECT_TRUE(texts.insert(called.text()).second) << called.text();
}

TEST(AllCommands, HelpHasASummaryAndExamplesAndFitsATerminal) {
  for (const CommandWithWords& called : list_commands_with_words()) {
    const std::string help = print_help(called);
    EXPECT_THAT(help, HasSubstr("Example")) << called.text();
    EXPECT_THAT(help, HasSubstr("\n  " + called.text())) << "an example";
    EXPECT_NE(called.command.summary, "") << called.text();
    const std::string& summary = called.command.summary;
    EXPECT_EQ(help.find(called.words.empty() ? summary : tool::help_lines(summary)), 0u) << help;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
    for (const tool::Command& verb : called.command.subcommands)
      EXPECT_THAT(help, HasSubstr("\n  " + verb.name + " "));
  }
}

TEST(AllCommands, HelpDescribesEveryOption) {
  for (const CommandWithWords& called : list_commands_with_words()) {
    const std::string help = print_help(called);
    CLI::App app;
    for (const CLI::Option* option : list_command_options(app, called)) {
      const std::string name = option->get_name();
      EXPECT_NE(option->get_description(), "") << called.text() << " " << name;
      EXPECT_THAT(help, HasSubstr("  " + name)) << called.text();
      EXPECT_TRUE(option->get_positional() || option->get_items_expected_max() == 0 ||
                  !option->get_type_name().empty())
          << called.text() << " " << name << " takes a value that --help does not name";
    }
  }
}

TEST(AllCommands, ErrorsForUnknownOptionsAndCommandsSuggestTheNearestName) {
  for (const CommandWithWords& called : list_commands_with_words()) {
    CLI::App app;
    for (const CLI::Option* option : list_command_options(app, called)) {
      if (option->get_positional()) continue;
      const std::string name = option->get_name(), wrong = name + "q";
      EXPECT_THAT(run_error_message(called.append_arguments({wrong})),
                  HasSubstr("unknown option '" + wrong + "'; did you mean '" + name + "'?"))
          << called.text();
    }
    if (called.command.subcommands.empty()) continue;
    for (const tool::Command& verb : called.command.subcommands)
      EXPECT_THAT(run_error_message(called.append_arguments({verb.name + "q"})),
                  HasSubstr("command '" + verb.name + "q'; did you mean '" + verb.name + "'?"));
  }
}

/// Returns the type and the description of an option on one line.
std::string describe_option(const CLI::Option& option) {
  std::string text = option.get_type_name() + ": " + option.get_description();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(AllCommands, SharedOptionsHaveOneDefinition) {
  // The key is an option. The value maps each definition of the option to a command that uses it.
  std::map<std::string, std::map<std::string, std::string>> definitions;
  std::map<std::string, std::size_t> uses;
  for (const CommandWithWords& called : list_commands_with_words()) {
    CLI::App app;
    for (const CLI::Option* option : list_command_options(app, called)) {
      ++uses[option->get_name()];
      definitions[option->get_name()].try_emplace(describe_option(*option), called.text());
    }
  }
  // These options have different meanings in different commands.
  const std::set<std::string> several = {
      "--accumulation", "--data",  "--device", "--format", "--formula", "--history", "--in",
      "--jobs",         "--json",  "--mode",   "--only",   "--out",     "--seed",    "--seeds",
      "--set",          "--steps", "--study",  "--task",   "--tier",    "LAYER"};
  for (const auto& [name, found] : definitions)
    EXPECT_EQ(found.size() > 1, several.contains(name))
        << name << " of " << found.begin()->second << " and of " << found.rbegin()->second;
  for (const auto& [definition, command] : definitions.at("--jobs"))
    EXPECT_THAT(definition, testing::AllOf(testing::StartsWith("N: "),
                                           HasSubstr(" at the same time (default: the number of")))
        << command;
  for (const auto& [definition, command] : definitions.at("--seed"))
    EXPECT_EQ(definition.find("N: "), 0u) << command;
  EXPECT_LE(definitions.at("--json").size(), 3u);
  EXPECT_EQ(definitions.at("--device").size(), 3u);
  EXPECT_GE(uses.at("--junit"), 5u);
  EXPECT_GE(uses.at("--golden"), 4u);
}

TEST(AllCommands, EachErrorIsReportedInOneSentence) {
  EXPECT_THAT(
      run_error_message({}),
      HasSubstr("no command is given; expected one of verify, apply, tokenize, elementary"));
  EXPECT_THAT(run_error_message({"golden"}),
              HasSubstr("no golden command is given; expected one of make, check"));
  EXPECT_THAT(run_error_message({"golden", "chekc"}),
              HasSubstr("unknown golden command 'chekc'; did you mean 'check'?"));
  EXPECT_THAT(run_error_message({"regress"}),
              HasSubstr("no regress command is given; expected one of record, compare (see "
                        "normproof regress --help)"));
  EXPECT_THAT(run_error_message({"study"}), HasSubstr("list, run, status, report"));
  EXPECT_THAT(run_error_message({"verify", "tokenize"}),
              HasSubstr("more than one command is given"));
  EXPECT_THAT(run_error_message({"study", "list", "more"}),
              HasSubstr("unexpected argument 'more' of study list"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::program
