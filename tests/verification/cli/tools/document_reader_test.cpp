#include "verification/cli/tools/document_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/markdown.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

namespace parts = normproof::verification::support::report;
using normproof::verification::cli::tools::read_document;
using testing::HasSubstr;

std::string refusal_of(const std::string& parts) {
  return normproof::ref::numeric::error_message<normproof::ref::numeric::FileError>(
      [&] { read_document("d.json", R"({"title": "t", "parts": )" + parts + "}"); });
}

TEST(DocumentReader, ReadsEveryKindOfPart) {
  const parts::Document document = read_document("d.json", R"({"title": "Board", "parts": [
      {"heading": "Rows", "level": 2}, {"paragraph": "two rows", "tone": "bad"},
      {"list": ["a_b", "c"]}, {"code": "x < y"},
      {"table": "held", "columns": [{"name": "row"}, {"name": "cases", "align": "right"}],
       "rows": [{"cells": ["torch", "7"], "tone": "bad", "notes": ["one | note"]},
                {"cells": ["<b>", "8"]}]}]})");
  EXPECT_EQ(document.title, "Board");
  EXPECT_EQ(parts::markdown(document),
            "## Rows\n\ntwo rows\n\n- a_b\n- c\n\n```\nx < y\n```\n\n**held**\n\n"
            "| row | cases |\n|---|---:|\n| torch | 7<br>one \\| note |\n| &lt;b> | 8 |\n");
  EXPECT_EQ(std::get<parts::Paragraph>(document.parts[1]).tone, parts::Tone::bad);
  const auto& table = std::get<parts::Table>(document.parts[4]);
  EXPECT_EQ(table.rows[0].tone, parts::Tone::bad);
  EXPECT_EQ(table.rows[1].tone, parts::Tone::plain);
  EXPECT_FALSE(table.folded);
  EXPECT_THAT(parts::html(document), HasSubstr("&lt;b&gt;"));
}

TEST(DocumentReader, ErrorsNameInvalidFields) {
  EXPECT_THAT(refusal_of("[]"), HasSubstr("d.json: parts is empty; expected a part or more"));
  EXPECT_THAT(refusal_of("[7]"), HasSubstr("parts[0] is no part"));
  EXPECT_THAT(refusal_of(R"([{"figure": "f"}])"),
              HasSubstr("expected one of heading, paragraph, list, code and table"));
  EXPECT_THAT(refusal_of(R"([{"heading": "h", "level": 5}])"), HasSubstr("parts[0].level is 5"));
  EXPECT_THAT(refusal_of(R"([{"list": ["a", 1]}])"), HasSubstr("parts[0].list[1] is no text"));
  EXPECT_THAT(refusal_of(R"([{"paragraph": "p", "tone": "loud"}])"),
              HasSubstr("parts[0].tone is 'loud'; expected plain"));
  EXPECT_THAT(refusal_of(R"([{"table": "", "columns": [], "rows": []}])"),
              HasSubstr("parts[0].columns is empty"));
  EXPECT_THAT(refusal_of(R"([{"table": "", "columns": [{"name": "a"}], "rows": [{"cells": []}]}])"),
              HasSubstr("parts[0].rows[0].cells has 0 texts; expected 1, one a column"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
