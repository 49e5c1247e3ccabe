#include "verification/cli/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::ref::numeric::FileError;
using normproof::verification::support::report::Document;
using normproof::verification::support::report::Paragraph;

std::string render_output(const Output& output, const ReportOptions& reports) {
  testing::internal::CaptureStdout();
  write_output(output, reports);
  return testing::internal::GetCapturedStdout();
}

TEST(CommandOutput, PrintsTheDocumentUnlessThereIsAText) {
  const Document document{"Title", {Paragraph{"one"}, Paragraph{"two"}}};
  EXPECT_EQ(render_output({.document = document}, {}), "one\ntwo\n");
  EXPECT_EQ(render_output({.document = document, .text = std::string("text")}, {}), "text");
  EXPECT_EQ(render_output(printed("line\n"), {}), "line\n");
}

TEST(CommandOutput, PrintsJsonInsteadOfTextIfRequested) {
  ReportOptions reports;
  reports.json_on_stdout = true;
  EXPECT_EQ(render_output({.text = std::string("text"), .json = std::string("{}\n")}, reports),
            "{}\n");
}

TEST(CommandOutput, RendersOnlyTheRequestedFormats) {
  const tests::ref::io::TemporaryFolder folder;
  int pages = 0;
  const Output output{.text = std::string(), .html = [&pages] {
                        ++pages;
                        return std::string("page");
                      }};
  render_output(output, {});
  EXPECT_EQ(pages, 0);
  render_output(output, make_report_options({{"--html", folder / "h"}}));
  EXPECT_EQ(pages, 1);
  EXPECT_EQ(read_file(folder / "h"), "page");
}

TEST(CommandOutput, OtherFilesAreWrittenIfOneCannotBe) {
  const tests::ref::io::TemporaryFolder folder;
  const Output output{.document = Document{"Title", {Paragraph{"one"}}}};
  testing::internal::CaptureStdout();
  EXPECT_THROW(write_output(output, make_report_options(
                                        {{"--json", "/dev/full"}, {"--markdown", folder / "m"}})),
               FileError);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\n");
  EXPECT_EQ(read_file(folder / "m"), "one\n");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
