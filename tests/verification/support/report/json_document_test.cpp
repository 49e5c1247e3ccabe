#include "verification/support/report/json_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using nlohmann::json;

TEST(JsonDocument, HasEveryPartInItsOrder) {
  Table table{"counts", {{"name"}, number_column("n")}};
  table.rows.push_back({{{"a"}, {"7"}}, Tone::bad, {"a note"}});
  table.rows.push_back({{{"short"}}});
  table.folded = true;
  Document document{"Title"};
  document.add(Heading{2, "Findings"});
  document.add(Paragraph{"plain"});
  document.add(Paragraph{"bad\x01", Tone::bad});
  document.add(List{{"x", "y"}});
  document.add(Code{"run\nit"});
  document.add(table);
  const json expected = json::parse(R"({"title": "Title", "parts": [
      {"heading": "Findings", "level": 2},
      {"paragraph": "plain"},
      {"paragraph": "bad ", "tone": "bad"},
      {"list": ["x", "y"]},
      {"code": "run\nit"},
      {"table": "counts",
       "columns": [{"name": "name", "align": "left"}, {"name": "n", "align": "right"}],
       "rows": [{"cells": ["a", "7"], "tone": "bad", "notes": ["a note"]},
                {"cells": ["short", ""]}],
       "folded": true}]})");
  EXPECT_EQ(json::parse(json_document(document)), expected);
}

TEST(JsonDocument, WritesProblemsAndFiguresAsTextParts) {
  Document document{"Title"};
  document.add(Problem{"FAILED", "quick/a", {"y is off"}, "check a"});
  document.add(Problem{"FAILED", "quick/b", {}});
  document.add(Figure{"", {"<svg/>", ""}, "A caption."});
  document.add(Figure{"", {"<svg/>", ""}, ""});
  EXPECT_EQ(json::parse(json_document(document))["parts"],
            json::parse(R"([{"paragraph": "FAILED quick/a", "tone": "bad"},
                            {"list": ["y is off"]},
                            {"code": "check a"},
                            {"paragraph": "FAILED quick/b", "tone": "bad"},
                            {"paragraph": "A caption.", "tone": "soft"}])"));
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
