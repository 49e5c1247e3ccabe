#include "verification/cli/corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/data/synthetic.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using normproof::tests::ref::data::find_shared_data_folder;
using normproof::tests::ref::data::shared_data_exists;
using testing::HasSubstr;
using testing::ThrowsMessage;

const char* const kSentences = "financial_phrasebank/Sentences_AllAgree.txt";
const char* const kVocabulary = "bert_base_uncased/vocab.txt";

TEST(TextCorpus, IsTheSyntheticCorpusIfNoFilesAreGiven) {
  const Corpus corpus = load_corpus({});
  EXPECT_EQ(corpus.name, "synthetic corpus");
  EXPECT_EQ(corpus.tokenized.sequences.size(), normproof::ref::data::default_synthetic_sentences);
  EXPECT_EQ(corpus.tokenized.labels.size(), corpus.tokenized.sequences.size());
  EXPECT_EQ(format_token_ids(corpus.tokenized), format_token_ids(load_corpus({}).tokenized));
}

TEST(TextCorpus, SentencesAndVocabularyMustBeGivenTogether) {
  EXPECT_THAT(error_message<UsageError>([] {
                load_corpus({"sentences.txt", {}});
              }),
              HasSubstr("--data is given without --vocab"));
  EXPECT_THAT(error_message<UsageError>([] {
                load_corpus({{}, "vocab.txt"});
              }),
              HasSubstr("--vocab is given without --data"));
}

TEST(TextCorpus, TokenizesSentencesAndHasTheNameOfTheFile) {
  const tests::ref::io::TemporaryFolder folder;
  write_file(folder / "s.txt", "B b@neutral\r\nzz a@positive\r\n");
  write_file(folder / "v.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n");
  const Corpus corpus = load_corpus({folder / "s.txt", folder / "v.txt"});
  EXPECT_EQ(corpus.name, "s.txt");
  EXPECT_EQ(format_token_ids(corpus.tokenized), "2 5 5 3\n2 1 4 3\n");
  EXPECT_EQ(corpus.tokenized.labels, (std::vector<int>{1, 2}));
  EXPECT_EQ(corpus.tokenized.vocab_size, 6u);
  EXPECT_EQ(format_token_ids(load_corpus({folder / "s.txt", folder / "v.txt"}, 3).tokenized),
            "2 5 3\n2 1 3\n");
}

TEST(TextCorpus, ErrorNamesAnAbsentFile) {
  const tests::ref::io::TemporaryFolder folder;
  write_file(folder / "s.txt", "b@neutral\r\n");
  const auto absent = [&] { load_corpus({folder / "s.txt", folder / "v.txt"}); };
  EXPECT_THAT(absent, ThrowsMessage<FileError>(HasSubstr((folder / "v.txt").string())));
}

TEST(TextCorpus, IdsAreThoseOfTheReferenceTokenizer) {
  const char* const expected = "bert_base_uncased/expected_ids_first_100_sentences.txt";
  if (!shared_data_exists(kSentences) || !shared_data_exists(expected))
    GTEST_SKIP() << "the real data is not in " << find_shared_data_folder();
  const std::string ids = format_token_ids(
      load_corpus({find_shared_data_folder() / kSentences, find_shared_data_folder() / kVocabulary})
          .tokenized);
  std::string reference = read_file(find_shared_data_folder() / expected);
  if (!reference.ends_with('\n')) reference += '\n';
  ASSERT_GT(reference.size(), 1000u);
  EXPECT_EQ(ids.substr(0, reference.size()), reference);
  EXPECT_EQ(std::ranges::count(ids, '\n'), 2264);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
