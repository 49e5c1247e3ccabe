#include "verification/support/report/json_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/verification/support/report/sample_checks.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using nlohmann::json;

TEST(JsonLines, WritesOneObjectPerCheckAndLine) {
  std::vector<json> objects;
  std::istringstream lines(json_lines(sample_checks()));
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  ASSERT_EQ(objects.size(), 6u);
  EXPECT_EQ(objects[0], json::parse(R"({"outcome": "passed", "findings": [],
                                        "repro": "redo --only passes"})"));
  EXPECT_EQ(objects[1]["outcome"], "broken");
  EXPECT_EQ(objects[1]["path"], "quick/a");
  EXPECT_EQ(objects[1]["share"], 0.5);
  EXPECT_EQ(objects[1]["findings"], json::parse(R"(["y is   2 > 1", "x is absent ]]>"])"));
  EXPECT_FALSE(objects[2].contains("repro"));
  EXPECT_EQ(objects[3]["outcome"], "error");
  EXPECT_EQ(objects[5]["outcome"], "xfail");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
