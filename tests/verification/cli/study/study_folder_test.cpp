#include "verification/cli/study/study_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

namespace tool = normproof::verification::cli;
using normproof::ref::numeric::FileError;
using testing::HasSubstr;

TEST(StudyFolder, DurationsAreFormattedForReaders) {
  EXPECT_EQ(tool::study::duration_text(80.4), "80 s");
  EXPECT_EQ(tool::study::duration_text(720), "12 min");
  EXPECT_EQ(tool::study::duration_text(12600), "3.5 h");
}

TEST(StudyFolder, RejectsAFolderWithoutAStudy) {
  const tests::ref::io::TemporaryFolder folder;
  EXPECT_THAT(normproof::ref::numeric::error_message<FileError>([&] {
                const auto store = tool::study::open_store(folder.path());
                tool::study::read_contents(folder.path(), store);
              }),
              HasSubstr("holds no study"));
  EXPECT_THAT(normproof::ref::numeric::error_message<FileError>(
                  [&] { tool::study::read_identity(folder.path(), "{}"); }),
              HasSubstr("study.json"));
}

TEST(StudyFolder, ErrorForAFolderOfTheOtherStudyNamesTheOption) {
  using tool::study::check_study;
  using tool::study::WhichStudy;
  const std::string published = R"({"format": "normproof-study-1"})",
                    language = R"({"format": "normproof-language-study-1"})";
  const auto refusal = [](const std::string& text, WhichStudy study) {
    return normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
        [&] { check_study("s", text, study); });
  };
  EXPECT_EQ(refusal(language, WhichStudy::published),
            "s is the folder of a study of language models; expected --study language, or another "
            "folder");
  EXPECT_THAT(refusal(published, WhichStudy::language),
              HasSubstr("s is the folder of the published experiment; expected that of a study of "
                        "language models"));
  // A study.json that belongs to neither study must be rejected when it is read.
  for (const std::string& text : {std::string("{}"), std::string("no JSON"), std::string("[1]")})
    for (const WhichStudy study : {WhichStudy::published, WhichStudy::language})
      EXPECT_NO_THROW(check_study("s", text, study));
  EXPECT_NO_THROW(check_study("s", published, WhichStudy::published));
  EXPECT_NO_THROW(check_study("s", language, WhichStudy::language));
}

TEST(StudyFolder, ReportIsWrittenAsPageTextAndPictures) {
  namespace report = normproof::verification::support::report;
  const tests::ref::io::TemporaryFolder folder;
  report::Document document{"t"};
  document.add(report::Heading{1, "Heading"});
  document.add(report::Figure{"a.svg", {"<svg/>", ""}, "c"});
  document.add(report::Figure{"b.svg", {"", "no gnuplot"}, "c"});
  tool::study::write_report(folder.path(), document);
  using normproof::ref::io::read_text;
  EXPECT_EQ(read_text(folder / "a.svg"), "<svg/>\n");
  EXPECT_THAT(read_text(folder / "report.md"), HasSubstr("# Heading"));
  EXPECT_THAT(read_text(folder / "report.html"), HasSubstr("Heading</h1>"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.svg"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
