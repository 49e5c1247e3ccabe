#include "verification/cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli {
namespace {

namespace tool = normproof::verification::cli;
using testing::ElementsAre;
using testing::Pair;

struct OptionParsing : testing::Test {
  void parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);
    app.parse(arguments);
  }
  std::string refusal(const std::vector<std::string>& arguments) {
    return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
        [&] { parse(arguments); });
  }
  /// Returns the shell words that would give the option its current value.
  std::string shell_words_of_option(const std::string& name) {
    return app.get_option(name)->capture_default_str()->get_default_str();
  }

  CLI::App app;
};

TEST_F(OptionParsing, ParsesTextsAndFlags) {
  std::string text = "before";
  std::optional<std::string> maybe;
  bool flag = false;
  tool::add_text_option(app, "--text", text, "A text", "TEXT");
  tool::add_text_option(app, "--maybe", maybe, "Another", "TEXT");
  tool::add_flag(app, "--flag", flag, "A flag");
  EXPECT_EQ(shell_words_of_option("--text"), "before");
  EXPECT_EQ(shell_words_of_option("--maybe"), "");
  EXPECT_EQ(shell_words_of_option("--flag"), "");
  parse({});
  EXPECT_EQ(text, "before");
  EXPECT_FALSE(maybe || flag || tool::is_given(app, "--text"));
  parse({"--text", "it's", "--maybe", "", "--flag"});
  EXPECT_EQ(text, "it's");
  EXPECT_EQ(maybe, "");
  EXPECT_TRUE(flag && tool::is_given(app, "--text"));
  EXPECT_EQ(shell_words_of_option("--text"), "'it'\\''s'");
  EXPECT_EQ(shell_words_of_option("--maybe"), "''");
  EXPECT_EQ(shell_words_of_option("--flag"), "true");
}

TEST_F(OptionParsing, RejectsEmptyNamesOfFilesAndFolders) {
  std::optional<std::filesystem::path> file, folder;
  std::filesystem::path needed;
  tool::add_file_option(app, "--file", file, "A file");
  tool::add_folder_option(app, "--folder", folder, "A folder");
  tool::require(tool::add_folder_option(app, "--needed", needed, "A folder"));
  EXPECT_EQ(refusal({"--file", ""}), "--file is ''; expected the name of a file");
  EXPECT_EQ(refusal({"--folder", ""}), "--folder is ''; expected the name of a folder");
  EXPECT_THROW(parse({"--file", "f"}), CLI::RequiredError);
  parse({"--needed", "a b", "--file", "f"});
  EXPECT_EQ(needed, "a b");
  EXPECT_EQ(file, "f");
  EXPECT_FALSE(folder);
  EXPECT_EQ(shell_words_of_option("--needed"), "'a b'");
}

TEST_F(OptionParsing, SettingsKeepTheirOrder) {
  tool::Settings settings;
  tool::add_settings(app, "--set", settings, "Settings", "KEY=VALUE", "norm.name=power_norm");
  parse({"--set", "b=1", "a=x=y", "--set", "b=2"});
  EXPECT_THAT(settings, ElementsAre(Pair("b", "1"), Pair("a", "x=y"), Pair("b", "2")));
  EXPECT_EQ(shell_words_of_option("--set"), "b=1 a=x=y b=2");
  for (const char* wrong : {"norm.name", "=none"})
    EXPECT_EQ(refusal({"--set", wrong}), "--set is '" + std::string(wrong) +
                                             "'; expected KEY=VALUE, such as norm.name=power_norm");
}

TEST_F(OptionParsing, RequiresExactlyOneOfSeveralOptions) {
  bool a = false, b = false, c = false;
  for (const auto& [name, field] : {std::pair{"--a", &a}, {"--b", &b}, {"--c", &c}})
    tool::add_flag(app, name, *field, "A flag");
  tool::check_after_parsing(app, [this] {
    tool::require_one_option_of(app, {"--a", "--b", "--c"});
  });
  EXPECT_EQ(refusal({}), "none of --a, --b and --c is given; expected one of them");
  EXPECT_EQ(refusal({"--c", "--a"}),
            "--a and --c are given; expected one of --a, --b and --c alone");
  parse({"--b"});
  EXPECT_TRUE(b);
}

TEST_F(OptionParsing, HelpTextIsWrapped) {
  std::string text;
  tool::add_text_option(app, "--text", text,
                        std::string(12, 'a') + " " + std::string(50, 'b') + " c", "TEXT");
  EXPECT_EQ(app.get_option("--text")->get_description(),
            std::string(12, 'a') + "\n" + std::string(50, 'b') + " c");
  tool::set_footer(app, "below");
  EXPECT_THAT(app.help(), testing::HasSubstr("below"));
}

TEST_F(OptionParsing, RejectsEmptyPartsOfLists) {
  EXPECT_THAT(tool::split_list("--x", "a,b"), ElementsAre("a", "b"));
  for (const char* text : {"", ",", "a,", ",a", "a,,b"})
    EXPECT_EQ(normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
                  [&] { tool::split_list("--x", text); }),
              "--x is '" + std::string(text) + "'; expected names with commas between");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
