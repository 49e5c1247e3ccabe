#include "verification/cli/typed_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdint>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli {
namespace {

namespace tool = normproof::verification::cli;
using normproof::ref::numeric::UsageError;
using testing::ElementsAre;

enum class Color { red, green };

std::string to_string(Color colour) {
  return colour == Color::red ? "red" : "green";
}

Color color_index(const std::string& name) {
  if (name == "red" || name == "green") return name == "red" ? Color::red : Color::green;
  throw UsageError(normproof::ref::numeric::unknown_name("colour", name, {"red", "green"}));
}

struct TypedOptions : testing::Test {
  void parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);
    app.parse(arguments);
  }
  std::string refusal(const std::vector<std::string>& arguments) {
    return normproof::ref::numeric::error_message<UsageError>([&] { parse(arguments); });
  }
  std::string words_of(const std::string& name) {
    return app.get_option(name)->capture_default_str()->get_default_str();
  }

  CLI::App app;
};

TEST_F(TypedOptions, NumberMustBeTheWholeText) {
  EXPECT_EQ(tool::parse_number<std::uint64_t>("-s", "18446744073709551615", 0, UINT64_MAX),
            UINT64_MAX);
  int number = 1;
  std::optional<std::size_t> maybe;
  tool::add_number_option(app, "--number", number, -3, 3, "A number");
  tool::add_number_option(app, "--maybe", maybe, 0, 9, "A number", "K");
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "1.0", "4", "-4", "99999999999999999999"})
    EXPECT_EQ(refusal({"--number", text}),
              "--number is '" + std::string(text) + "'; expected a whole number from -3 to 3");
  EXPECT_EQ(words_of("--maybe"), "");
  parse({"--number", "-3", "--maybe", "007"});
  EXPECT_EQ(number, -3);
  EXPECT_EQ(maybe, 7u);
  EXPECT_EQ(words_of("--number"), "-3");
  EXPECT_EQ(words_of("--maybe"), "7");
  EXPECT_EQ(app.get_option("--maybe")->get_type_name(), "K");
}

TEST_F(TypedOptions, ParsesChoicesByName) {
  Color colour = Color::red;
  int number = 0;
  tool::add_choice_option(app, "--colour", colour, {{"red", Color::red}, {"green", Color::green}},
                          "A colour");
  tool::add_choice_option(app, "NUMBER", number, {{"one", 1}, {"two", 2}}, "A number");
  EXPECT_EQ(app.get_option("--colour")->get_type_name(), "red|green");
  EXPECT_EQ(refusal({"--colour", "gren"}),
            "unknown --colour 'gren'; did you mean 'green'? known: red, green");
  EXPECT_EQ(refusal({"tow"}), "unknown number 'tow'; did you mean 'two'? known: one, two");
  parse({"--colour", "green", "two"});
  EXPECT_EQ(colour, Color::green);
  EXPECT_EQ(number, 2);
  EXPECT_EQ(words_of("--colour"), "green");
}

TEST_F(TypedOptions, ParsesNamesWithAGivenFunction) {
  std::optional<Color> colour;
  std::vector<Color> colours = {Color::green};
  tool::add_named_value_option(app, "--colour", colour, color_index, "A colour", "NAME");
  tool::add_name_list_option(app, "--colours", colours, color_index, "Colours", "LIST");
  EXPECT_EQ(words_of("--colours"), "green");
  EXPECT_EQ(refusal({"--colour", "blue"}).find("unknown colour 'blue'"), 0u);
  EXPECT_EQ(refusal({"--colours", "red,blue"}).find("unknown colour 'blue'"), 0u);
  EXPECT_EQ(refusal({"--colours", "red,red"}), "--colours names red twice; expected once");
  EXPECT_EQ(refusal({"--colours", "red,"}),
            "--colours is 'red,'; expected names with commas between");
  parse({"--colour", "red", "--colours", "red,green"});
  EXPECT_EQ(colour, Color::red);
  EXPECT_THAT(colours, ElementsAre(Color::red, Color::green));
  EXPECT_EQ(words_of("--colour"), "red");
  EXPECT_EQ(words_of("--colours"), "red,green");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
