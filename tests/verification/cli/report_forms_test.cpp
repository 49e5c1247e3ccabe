#include "verification/cli/report_forms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "verification/support/report/checks.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::verification::support::report::Check;
using normproof::verification::support::report::Checks;
using normproof::verification::support::report::Document;
using normproof::verification::support::report::Paragraph;
using testing::AllOf;
using testing::HasSubstr;

/// Writes every report format of an output. Returns the texts by option, such as "--json".
std::map<std::string, std::string> write_all_formats(const Output& output) {
  std::map<std::string, std::string> texts;
  for (const ReportForm& form : report_forms()) texts[form.option] = form.text(output);
  return texts;
}

TEST(ReportFormats, DocumentIsEnoughForEveryFormat) {
  Output output{.document = Document{"Title", {Paragraph{"It holds."}}}};
  auto texts = write_all_formats(output);
  EXPECT_THAT(texts["--json"], HasSubstr("{\n      \"paragraph\": \"It holds.\"\n"));
  EXPECT_THAT(texts["--junit"], AllOf(HasSubstr("tests=\"1\""), HasSubstr("failures=\"0\""),
                                      HasSubstr("name=\"Title\"")));
  EXPECT_THAT(texts["--sarif"], HasSubstr("\"results\": []"));
  EXPECT_THAT(texts["--html"], HasSubstr("It holds."));
  EXPECT_EQ(texts["--markdown"], "It holds.\n");

  output.status = kNumericalFailure;
  texts = write_all_formats(output);
  EXPECT_THAT(texts["--junit"], AllOf(HasSubstr("failures=\"1\""), HasSubstr("It holds.")));
  EXPECT_THAT(texts["--sarif"], HasSubstr("It holds."));
}

TEST(ReportFormats, ListOfChecksDeterminesJUnitAndJson) {
  const Output output{
      .document = Document{"Title", {Paragraph{"It holds."}}},
      .checks = Checks{
          {"suite", {Check{.group = "suite", .name = "a"}, Check{.group = "suite", .name = "b"}}}}};
  auto texts = write_all_formats(output);
  EXPECT_THAT(texts["--junit"], HasSubstr("tests=\"2\""));
  EXPECT_EQ(std::ranges::count(texts["--json"], '\n'), 2);
}

TEST(ReportFormats, CommandMayWriteAFormatItself) {
  const std::string text = "mine";
  auto texts = write_all_formats(
      {.document = Document{"Title"}, .json = text, .html = text, .markdown = text});
  for (const char* option : {"--json", "--html", "--markdown"}) EXPECT_EQ(texts[option], text);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
