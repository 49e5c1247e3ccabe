#include "verification/cli/parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::tests::verification::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A command for tests with an argument and options, one of which is required.
struct ToyCommand {
  static constexpr const char* name = "toy";
  static constexpr const char* summary = "A toy";

  std::string word = {};
  int number = 3;
  std::filesystem::path file = {};
  bool loud = false;

  void add(CLI::App& app) {
    tool::require(tool::add_text_option(app, "WORD", word, "The word", ""));
    tool::add_number_option(app, "--number", number, 1, 9, "The number");
    tool::require(tool::add_file_option(app, "--file", file, "The file"));
    tool::add_flag(app, "--loud", loud, "Loudly");
    tool::check_after_parsing(app, [this] {
      if (loud && number > 5)
        throw normproof::ref::numeric::UsageError("--loud is given; expected --number at most 5");
    });
    tool::set_footer(app, "Examples:\n  toy x --file f");
  }
};

/// Returns a program with a toy command and a group. The group has a toy command and a command
/// without options.
tool::Command make_toy_program() {
  const tool::Command toy{"toy", "A toy", [](CLI::App& app) {
                            const auto options = std::make_shared<ToyCommand>();
                            options->add(app);
                            return [options] {
                              return options->loud ? tool::kSuccess : tool::kNumericalFailure;
                            };
                          }};
  const tool::Command plain{"plain", "No options",
                            [](CLI::App&) { return [] { return tool::kNoDevice; }; }};
  return make_toy_group("normproof", {toy, make_toy_group("group", {toy, plain})});
}

std::string parse_error_message(const Arguments& arguments) {
  return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
      [&] { tool::parse_arguments(make_toy_program(), arguments); });
}

TEST(CommandLineParser, EmptyValueDoesNotConsumeTheNextArgument) {
  EXPECT_EQ(parse_error_message({"toy", "x", "--file=", "--number=4"}),
            "--file is given without a value; expected --file=VALUE");
  EXPECT_EQ(parse_error_message({"toy", "x", "--file", "a=", "--number="}),
            "--number is given without a value; expected --number=VALUE");
}

std::string printed_by(const Arguments& arguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::parse_arguments(make_toy_program(), arguments)(), tool::kSuccess);
  return testing::internal::GetCapturedStdout();
}

TEST(CommandLineParser, RunsTheGivenCommandWithItsOptions) {
  EXPECT_EQ(tool::parse_arguments(make_toy_program(), {"toy", "x", "--file", "f"})(),
            tool::kNumericalFailure);
  EXPECT_EQ(
      tool::parse_arguments(make_toy_program(), {"group", "toy", "--file=f", "x", "--loud"})(),
      tool::kSuccess);
  EXPECT_EQ(tool::parse_arguments(make_toy_program(), {"group", "plain"})(), tool::kNoDevice);
}

TEST(CommandLineParser, SetsTheFieldsOfTheCommand) {
  const auto toy = parse_command<ToyCommand>({"--number", "5", "--loud", "w", "--file", "f"});
  EXPECT_EQ(toy.word, "w");
  EXPECT_EQ(toy.number, 5);
  EXPECT_EQ(toy.file, "f");
  EXPECT_TRUE(toy.loud);
  EXPECT_EQ(parse_command<ToyCommand>({"w", "--file", "f"}).number, 3);
}

TEST(CommandLineParser, HelpDescribesTheInnermostCommandAndTakesPrecedenceOverErrors) {
  EXPECT_THAT(printed_by({"--help"}), AllOf(HasSubstr("A toy"), HasSubstr("group")));
  EXPECT_THAT(printed_by({"group", "-h"}), AllOf(HasSubstr("plain"), Not(HasSubstr("--number"))));
  for (const Arguments& arguments :
       std::vector<Arguments>{{"toy", "--help"},
                              {"group", "toy", "--help"},
                              {"toy", "--number", "x", "--help"},
                              {"toy", "--nmber", "--help"},
                              {"toy", "--help", "--file", "a", "--file", "b"}})
    EXPECT_THAT(printed_by(arguments),
                AllOf(HasSubstr("--number N"), HasSubstr("The number"), HasSubstr("Examples:")));
  EXPECT_THAT(printed_by({"--version"}), testing::MatchesRegex("normproof [0-9.]+\n"));
}

TEST(CommandLineParser, EachErrorIsReportedInOneSentenceWithTheNearestName) {
  const std::vector<std::pair<Arguments, std::string>> all = {
      {{}, "no command is given; expected one of toy, group (see normproof --help)"},
      {{"group"},
       "no group command is given; expected one of toy, plain (see normproof group --help)"},
      {{"tyo"}, "unknown command 'tyo'; did you mean 'toy'?"},
      {{"group", "plian"}, "unknown group command 'plian'; did you mean 'plain'?"},
      {{"--verison"}, "unknown option '--verison'; did you mean '--version'?"},
      {{"toy", "x", "--file", "f", "group"}, "more than one command is given"},
      {{"toy", "x", "--file", "f", "more"}, "unexpected argument 'more' of toy"},
      {{"group", "plain", "more"}, "unexpected argument 'more' of group plain"},
      {{"toy", "--fiel", "f"}, "unknown option '--fiel'; did you mean '--file'?"},
      {{"toy", "--fiel=f"}, "unknown option '--fiel'; did you mean '--file'?"},
      {{"toy", "x", "--number", "0", "--fiel"}, "unknown option '--fiel'"},
      {{"toy", "--file", "f"}, "WORD is required"},
      {{"toy", "x"}, "--file is required"},
      {{"toy", "x", "--file"}, "--file"},
      {{"toy", "x", "--file", "f", "--file", "g"}, "--file is given more than once; expected once"},
      {{"toy", "x", "--file", "f", "--number", "10"}, "--number is '10'; expected a whole number"},
      {{"toy", "x", "--file", "f", "--number", "6", "--loud"}, "expected --number at most 5"},
  };
  for (const auto& [arguments, message] : all)
    EXPECT_THAT(parse_error_message(arguments), AllOf(HasSubstr(message), Not(HasSubstr("\n"))))
        << message;
}

}  // namespace
}  // namespace normproof::tests::verification::cli
