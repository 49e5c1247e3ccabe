#include "verification/cli/train/search_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::train {
namespace {

using testing::HasSubstr;
using tool::train::SearchOptions;

struct SearchCommand {
  static constexpr const char* name = "search";
  static constexpr const char* summary = "Options alone";

  SearchOptions search = {};

  void add(CLI::App& app) { tool::train::add_search_options(app, search); }
};

TEST(SearchOptions, ParseBeamAndLengthPenalty) {
  const SearchOptions given =
      parse_command<SearchCommand>({"--beam", "4", "--length-penalty", "1.5"}).search;
  EXPECT_EQ(given.search().width, 4u);
  EXPECT_EQ(given.search().length_penalty, 1.5);
  EXPECT_EQ(parse_command<SearchCommand>({}).search.search(),
            normproof::verification::training::TranslationSearch{});
  EXPECT_THAT(refusal<SearchCommand>({"--beam", "0"}), HasSubstr("--beam is '0'"));
  for (const char* wrong : {"-1", "x", "nan", "inf", "10.5"})
    EXPECT_THAT(refusal<SearchCommand>({"--length-penalty", wrong}),
                HasSubstr(std::string("--length-penalty is '") + wrong + "'; expected a"));
}

TEST(SearchOptions, AreOnlyForTranslators) {
  using normproof::verification::training::Task;
  const auto refused = [](const SearchOptions& options) {
    return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
        [&] { tool::train::check_no_search_options(options, Task::language); });
  };
  EXPECT_EQ(refused({.beam = 2}),
            "--beam is given; expected none but of the task translate, not language");
  EXPECT_THAT(refused({.length_penalty = 2}), HasSubstr("--length-penalty is given"));
  EXPECT_NO_THROW(tool::train::check_no_search_options({}, Task::language));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
