#include "verification/cli/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ref/model/norm_options.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
namespace model = normproof::ref::model;
using testing::HasSubstr;

TEST(Help, EvalListsEveryLayerWithItsOptionsAndDefaults) {
  const std::string text = eval_footer();
  for (const std::string& name : model::norm_names()) {
    EXPECT_THAT(text, HasSubstr("  " + name));
    for (const auto& [field, value] : model::list_options(model::norm_options(name)))
      EXPECT_THAT(text, HasSubstr(" " + field + "=" + value));
  }
}

TEST(Help, EveryTextHasExamplesAndFitsATerminal) {
  for (const std::string& text : {program_footer(), verify_footer(), eval_footer()}) {
    EXPECT_THAT(text, HasSubstr("Examples:\n  normproof "));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
  EXPECT_THAT(program_description(), HasSubstr("PowerNorm"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
