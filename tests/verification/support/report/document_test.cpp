#include "verification/support/report/document.hpp"

#include <gtest/gtest.h>

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;

TEST(ReportDocument, KeepsItsPartsInOrder) {
  Document document{"t"};
  document.add(Heading{1, "a"});
  document.add(Paragraph{"b"});
  ASSERT_EQ(document.parts.size(), 2u);
  EXPECT_EQ(std::get<Heading>(document.parts[0]).text, "a");
  EXPECT_EQ(std::get<Paragraph>(document.parts[1]).tone, Tone::plain);
}

TEST(ReportDocument, NumberColumnsAlignRightAndTextColumnsLeft) {
  EXPECT_EQ(number_column("n").align, Align::right);
  const auto columns = text_columns({"a", "b"});
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].name, "b");
  EXPECT_EQ(columns[1].align, Align::left);
  const Table table = numbers_table("c", {"a"}, {"n"});
  EXPECT_EQ(table.caption, "c");
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[0].align, Align::left);
  EXPECT_EQ(table.columns[1].name, "n");
  EXPECT_EQ(table.columns[1].align, Align::right);
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
