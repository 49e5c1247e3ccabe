#include "ref/data/parallel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "ref/data/text_lines.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::parse_parallel_text;
using normproof::ref::data::read_parallel_corpus;
using normproof::ref::data::read_parallel_text;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

void write_lines(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string rejection_message(std::string_view source, std::string_view target) {
  return error_message<FileError>([=] { parse_parallel_text(source, "s.ja", target, "t.en"); });
}

TEST(ParallelText, PairsTheLinesOfBothFiles) {
  const auto text = parse_parallel_text("a  b\n\u3042\n", "s", "c\nd .", "t");
  EXPECT_THAT(text.source, ElementsAre("a  b", "\u3042"));
  EXPECT_THAT(text.target, ElementsAre("c", "d ."));
}

TEST(ParallelText, ErrorNamesTheFileThatEndsEarly) {
  EXPECT_EQ(rejection_message("a\nb\nc\n", "a\nb\n"),
            "t.en:3: the file has ended, and s.ja has 3 lines; expected a sentence for each of the "
            "other language");
  EXPECT_THAT(rejection_message("a", "a\nb\n"),
              HasSubstr("s.ja:2: the file has ended, and t.en has 2"));
}

TEST(ParallelText, ErrorNamesALineThatIsNotASentence) {
  EXPECT_THAT(rejection_message("", "a"),
              HasSubstr("s.ja:1: the file is empty; expected a sentence a line"));
  EXPECT_THAT(rejection_message("a\n\nb", "a\nb\nc"),
              HasSubstr("s.ja:2: the line is empty; expected a"));
  EXPECT_THAT(rejection_message("a\nb", "a\n  \n"),
              HasSubstr("t.en:2: the line has no word; expected a"));
  EXPECT_THAT(rejection_message("a\nb", "a\nb\xff\n"),
              HasSubstr("t.en:2: the sentence \"b\\xff\" is not"));
  EXPECT_THAT(rejection_message("a\r\nb", "a\nb"), HasSubstr("s.ja:1: the line has a CR"));
  EXPECT_THAT(rejection_message(std::string(100'001, 'a'), "a"),
              HasSubstr("s.ja:1: the line has 100001 bytes; expected at most 100000"));
  EXPECT_EQ(rejection_message(std::string(100'000, 'a'), "a"), "no error");
}

TEST(ParallelText, ErrorNamesAFileThatCannotBeRead) {
  const io::TemporaryFolder folder;
  write_lines(folder / "a", "a\n");
  const auto message = [&](const char* source, const char* target) {
    return error_message<FileError>([&] { read_parallel_text(folder / source, folder / target); });
  };
  EXPECT_EQ(message("a", "a"), "no error");
  EXPECT_THAT(message("a", "b"), HasSubstr("/b: does not exist; expected a readable file"));
  EXPECT_THAT(message(".", "a"), HasSubstr(": is a directory; expected a readable file"));
}

TEST(ParallelCorpus, ReadsTrainingValidationAndTestFilesFromAFolder) {
  const io::TemporaryFolder folder;
  for (const char* file : {"train.x", "train.y", "dev.x", "dev.y", "test.x", "test.y"})
    write_lines(folder / file, std::string(file) + "\n");
  const auto corpus = read_parallel_corpus(folder.path(), "x", "y");
  EXPECT_THAT(corpus.training.source, ElementsAre("train.x"));
  EXPECT_THAT(corpus.validation.target, ElementsAre("dev.y"));
  EXPECT_THAT(corpus.test.source, ElementsAre("test.x"));
  const auto message = [](const std::filesystem::path& path, const char* target) {
    return error_message<FileError>([&] { read_parallel_corpus(path, "x", target); });
  };
  EXPECT_THAT(message(folder.path(), "z"), HasSubstr("/train.z: does not exist"));
  EXPECT_THAT(message(folder / "train.x", "y"),
              EndsWith("train.x: is no folder; expected one that holds train.x, train.y and the "
                       "same of dev and test"));
}

TEST(ParallelCorpus, EnglishJapaneseCorpusHas50000TrainingPairs) {
  const std::string folder = "small_parallel_enja";
  if (!shared_data_exists(folder + "/train.ja"))
    GTEST_SKIP() << "no " << find_shared_data_folder() / folder;
  const auto corpus = read_parallel_corpus(find_shared_data_folder() / folder, "ja", "en");
  EXPECT_EQ(corpus.training.source.size(), 50'000u);
  EXPECT_EQ(corpus.validation.source.size(), 500u);
  EXPECT_EQ(corpus.test.target.size(), 500u);
  std::size_t words = 0;
  for (const std::string& sentence : corpus.training.target)
    words += normproof::ref::data::split_words(sentence).size();
  EXPECT_EQ(words, 391'047u);
}

}  // namespace
}  // namespace normproof::tests::ref::data
