#include "verification/cli/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <sstream>

#include "tests/verification/cli/parsed.hpp"
#include "verification/cli/options.hpp"

// What holds of every command there is.
namespace normproof::tests::verification::cli {
namespace {

using testing::HasSubstr;

/// A command with the words that call it; none call the program.
struct CalledCommand {
  Arguments words;
  tool::Command command;

  Arguments with(const Arguments& more) const {
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

void add_called(const tool::Command& command, const Arguments& words,
                std::vector<CalledCommand>& all) {
  all.push_back({words, command});
  for (const tool::Command& verb : command.verbs) {
    Arguments longer = words;
    longer.push_back(verb.name);
    add_called(verb, longer, all);
  }
}

/// Every command, groups and the program included.
std::vector<CalledCommand> called_commands() {
  std::vector<CalledCommand> all;
  add_called(tool::all_commands(), {}, all);
  return all;
}

std::string help_of(const CalledCommand& called) {
  testing::internal::CaptureStdout();
  const tool::ExitStatus status =
      tool::parse_arguments(tool::all_commands(), called.with({"--help"}))();
  std::string help = testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, tool::kSuccess) << called.text();
  return help;
}

std::string refusal_of(const Arguments& arguments) {
  return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
      [&] { tool::parse_arguments(tool::all_commands(), arguments); });
}

/// The options but --help.
std::vector<CLI::Option*> options_of(CLI::App& app, const CalledCommand& called) {
  called.command.add(app);
  return app.get_options(
      [&app](const CLI::Option* option) { return option != app.get_help_ptr(); });
}

TEST(Commands, HaveNamesOfTheirOwn) {
  std::set<std::string> texts;
  for (const CalledCommand& called : called_commands())
    EXPECT_TRUE(texts.insert(called.text()).second) << called.text();
}

TEST(Commands, HaveHelpWithASummaryAndExamplesThatFitsATerminal) {
  for (const CalledCommand& called : called_commands()) {
    const std::string help = help_of(called);
    EXPECT_THAT(help, HasSubstr("Example")) << called.text();
    EXPECT_THAT(help, HasSubstr("\n  " + called.text())) << "an example";
    EXPECT_NE(called.command.summary, "") << called.text();
    const std::string& summary = called.command.summary;
    EXPECT_EQ(help.find(called.words.empty() ? summary : tool::help_lines(summary)), 0u) << help;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
    for (const tool::Command& verb : called.command.verbs)
      EXPECT_THAT(help, HasSubstr("\n  " + verb.name + " "));
  }
}

TEST(Commands, DescribeEveryOption) {
  for (const CalledCommand& called : called_commands()) {
    const std::string help = help_of(called);
    CLI::App app;
    for (const CLI::Option* option : options_of(app, called)) {
      const std::string name = option->get_name();
      EXPECT_NE(option->get_description(), "") << called.text() << " " << name;
      EXPECT_THAT(help, HasSubstr("  " + name)) << called.text();
      EXPECT_TRUE(option->get_positional() || option->get_items_expected_max() == 0 ||
                  !option->get_type_name().empty())
          << called.text() << " " << name << " takes a value that --help does not name";
    }
  }
}

TEST(Commands, NameTheNearestToAnUnknownOption) {
  for (const CalledCommand& called : called_commands()) {
    CLI::App app;
    for (const CLI::Option* option : options_of(app, called)) {
      if (option->get_positional()) continue;
      const std::string name = option->get_name(), wrong = name + "q";
      EXPECT_THAT(refusal_of(called.with({wrong})),
                  HasSubstr("unknown option '" + wrong + "'; did you mean '" + name + "'?"))
          << called.text();
    }
    if (called.command.verbs.empty()) continue;
    for (const tool::Command& verb : called.command.verbs)
      EXPECT_THAT(refusal_of(called.with({verb.name + "q"})),
                  HasSubstr("command '" + verb.name + "q'; did you mean '" + verb.name + "'?"));
  }
}

TEST(Commands, DefineASharedOptionOnce) {
  // A name, and the first command that has it with what it takes and what for.
  std::map<std::string, std::pair<std::string, std::string>> first;
  const std::set<std::string> shared = {"--data", "--vocab", "--threads"};
  for (const CalledCommand& called : called_commands()) {
    CLI::App app;
    for (const CLI::Option* option : options_of(app, called)) {
      if (!shared.contains(option->get_name())) continue;
      const std::string what = option->get_type_name() + ": " + option->get_description();
      const auto [there, is_new] = first.try_emplace(option->get_name(), called.text(), what);
      EXPECT_EQ(there->second.second, what)
          << option->get_name() << " of " << there->second.first << " and of " << called.text();
    }
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli
