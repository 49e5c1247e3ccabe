#include "verification/cli/option_values.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli {
namespace {

namespace values = normproof::verification::cli;

template <class F>
std::string value_refusal(F&& f) {
  return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(f);
}

TEST(OptionValues, NumbersAreTheWholeText) {
  EXPECT_EQ(values::parse_number<std::uint64_t>("-s", "18446744073709551615", 0, UINT64_MAX),
            UINT64_MAX);
  EXPECT_EQ(values::parse_number("-n", "-3", -3, 3), -3);
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "1.0", "4", "-4", "99999999999999999999"})
    EXPECT_EQ(value_refusal([&] { values::parse_number("-n", text, -3, 3); }),
              "-n is '" + std::string(text) + "'; expected a whole number from -3 to 3");
}

TEST(OptionValues, ChoicesByName) {
  const std::vector<std::pair<std::string, int>> choices = {{"one", 1}, {"two", 2}};
  EXPECT_EQ(values::parse_choice<int>("number", "two", choices), 2);
  EXPECT_EQ(value_refusal([&] { values::parse_choice<int>("number", "tow", choices); }),
            "unknown number 'tow'; did you mean 'two'? known: one, two");
}

TEST(OptionValues, PathsAndThreads) {
  CLI::App app;
  std::string file, jobs;
  app.add_option("--file", file);
  app.add_option("--jobs", jobs);
  app.parse("", false);
  EXPECT_FALSE(values::path_of(app, "--file"));
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  EXPECT_EQ(values::thread_count(app, "--jobs", jobs), std::max(processors, 1));
  app.parse("--file f --jobs 7", false);
  EXPECT_EQ(values::path_of(app, "--file"), "f");
  EXPECT_EQ(values::thread_count(app, "--jobs", jobs), 7);
  app.parse(std::vector<std::string>{"1025", "--jobs", "", "--file"});
  EXPECT_EQ(value_refusal([&] { values::path_of(app, "--file"); }),
            "--file is ''; expected the name of a file");
  EXPECT_EQ(value_refusal([&] { values::thread_count(app, "--jobs", jobs); }),
            "--jobs is '1025'; expected a whole number from 1 to 1024");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
