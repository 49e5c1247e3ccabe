#include "ref/data/vocabulary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/data/temporary_file.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using ::testing::StrEq;
using namespace ::normproof::ref::data;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::ContractError;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;

void expect_vocabulary_rejection_message(std::string_view bytes, const std::string& message) {
  EXPECT_THAT(error_message<FileError>([bytes] { Vocabulary::parse(bytes, "v.txt"); }),
              StrEq("v.txt:" + message));
}

TEST(Vocabulary, MapsTokensToLineNumbers) {
  for (const std::string_view end : {"", "\n"}) {
    const auto v =
        Vocabulary::parse("a\n[SEP]\n##b\n[UNK]\n[CLS]\n\u00e4\n[PAD]" + std::string(end), "v.txt");
    EXPECT_EQ(v.size(), 7u);
    EXPECT_EQ(v.id("a"), 0);
    EXPECT_EQ(v.id("##b"), 2);
    EXPECT_EQ(v.id("\u00e4"), 5);
    EXPECT_EQ(v.id("b"), std::nullopt);
    EXPECT_EQ(v.id(""), std::nullopt);
    EXPECT_EQ(v.token(2), "##b");
    EXPECT_EQ(v.sep_id(), 1);
    EXPECT_EQ(v.unk_id(), 3);
    EXPECT_EQ(v.cls_id(), 4);
    EXPECT_EQ(v.pad_id(), 6);
  }
}

TEST(Vocabulary, C1_RejectsIdsOutOfRange) {
  const auto v = Vocabulary::from_tokens({"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, "v.txt");
  EXPECT_THAT(contract_message([&v] { v.token(4); }),
              StrEq("Vocabulary::token: id is 4; expected 0 <= id < 4 (C1)"));
  EXPECT_THAT([&v] { v.token(-1); }, ::testing::Throws<ContractError>());
}

TEST(Vocabulary, RejectsDuplicateTokens) {
  expect_vocabulary_rejection_message(
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\nx\ny\nx\n",
      "7: the token \"x\" is already on line 5; expected each token once");
}

TEST(Vocabulary, RejectsAMissingSpecialToken) {
  const std::vector<std::string> all = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
  for (const auto& left_out : all) {
    std::string bytes = "x\n";
    for (const auto& token : all) bytes += token == left_out ? "" : token + "\n";
    expect_vocabulary_rejection_message(bytes, "4: the vocabulary ends without the token " +
                                                   left_out +
                                                   "; expected [PAD], [UNK], [CLS] and [SEP]");
  }
  expect_vocabulary_rejection_message(
      "[pad]\n[UNK]\n[CLS]\n[SEP]\n",
      "4: the vocabulary ends without the token [PAD]; expected [PAD], [UNK], [CLS] and "
      "[SEP]");
}

TEST(Vocabulary, RejectsLinesThatAreNotTokens) {
  const std::string expected = "; expected one token in UTF-8, ended by LF";
  expect_vocabulary_rejection_message("", "1: the vocabulary is empty; expected one token a line");
  expect_vocabulary_rejection_message("[PAD]\n\n[UNK]\n", "2: the line is empty" + expected);
  expect_vocabulary_rejection_message("\n", "1: the line is empty" + expected);
  expect_vocabulary_rejection_message("[PAD]\r\n[UNK]\r\n", "1: the line has a CR" + expected);
  expect_vocabulary_rejection_message(std::string_view("[PAD]\na\0\n", 9),
                                      "2: the line has a NUL byte" + expected);
  expect_vocabulary_rejection_message(
      "[PAD]\nM\xe4ki\n", "2: the token \"M\\xe4ki\" is not well-formed UTF-8" + expected);
  expect_vocabulary_rejection_message("[PAD]\n" + std::string(1001, 'x'),
                                      "2: the token has 1001 bytes; expected at most 1000");
  EXPECT_THAT(error_message<FileError>([] {
                Vocabulary::from_tokens({"[PAD]", "a\nb"}, "v.txt");
              }),
              StrEq("v.txt:2: the token has an LF" + expected));
}

TEST(Vocabulary, ErrorsNameThePath) {
  const TemporaryFile good("[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
  EXPECT_EQ(Vocabulary::load(good.path()).size(), 4u);
  const TemporaryFile bad("[PAD]\n[PAD]\n");
  EXPECT_THAT(error_message<FileError>([&bad] { Vocabulary::load(bad.path()); }),
              StrEq(bad.path().string() +
                    ":2: the token \"[PAD]\" is already on line 1; expected each token once"));
  EXPECT_THAT(error_message<FileError>([] { Vocabulary::load("/nonexistent/v.txt"); }),
              StrEq("/nonexistent/v.txt: does not exist; expected a readable file"));
}

TEST(Vocabulary, LoadsTheVocabularyOfBert) {
  const std::filesystem::path file = "bert_base_uncased/vocab.txt";
  if (!shared_data_exists(file)) GTEST_SKIP() << (find_shared_data_folder() / file) << " is absent";
  const auto v = Vocabulary::load(find_shared_data_folder() / file);
  EXPECT_EQ(v.size(), 30522u);
  EXPECT_EQ(v.pad_id(), 0);
  EXPECT_EQ(v.unk_id(), 100);
  EXPECT_EQ(v.cls_id(), 101);
  EXPECT_EQ(v.sep_id(), 102);
}

}  // namespace
}  // namespace normproof::tests::ref::data
