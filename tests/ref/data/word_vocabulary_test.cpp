#include "ref/data/word_vocabulary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ref/data/parallel_text.hpp"
#include "ref/data/text_lines.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::WordVocabulary;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WordVocabulary, OrdersWordsByFrequency) {
  const std::vector<std::string> sentences = {"b a c", "a b", "\u00e9 a d d", "<s> <s> <s> <s> e"};
  EXPECT_EQ(WordVocabulary::from_sentences(sentences).text(),
            "<unk>\n<s>\n</s>\na\nb\nd\nc\ne\n\u00e9\n");
  EXPECT_EQ(WordVocabulary::from_sentences(sentences, 7).text(), "<unk>\n<s>\n</s>\na\nb\nd\nc\n");
  EXPECT_EQ(WordVocabulary::from_sentences(sentences, 4).size(), 4u);
}

TEST(WordVocabulary, ParsesOneWordPerLine) {
  const auto v = WordVocabulary::parse("boat\n</s>\n<unk>\n<s>\n.", "v");
  EXPECT_EQ(v.size(), 5u);
  EXPECT_EQ(v.unknown_id(), 2);
  EXPECT_EQ(v.begin_id(), 3);
  EXPECT_EQ(v.end_id(), 1);
  EXPECT_EQ(v.padding_id(), v.end_id());
  EXPECT_EQ(v.text(), "boat\n</s>\n<unk>\n<s>\n.\n");
  EXPECT_EQ(WordVocabulary::parse(v.text(), "v").text(), v.text());
}

TEST(WordVocabulary, EncodesWordsAsIdsAndDecodesThem) {
  const auto v = WordVocabulary::parse("<unk>\n<s>\n</s>\nboat\nthe\n.\n", "v");
  EXPECT_THAT(v.encode("the  boat ."), ElementsAre(4, 3, 5));
  EXPECT_THAT(v.encode(""), ElementsAre());
  EXPECT_EQ(v.decode({1, 4, 3, 0, 5, 2, 3}), "the boat <unk> .");
  EXPECT_EQ(v.decode({}), "");
}

TEST(WordVocabulary, EncodesSpecialWordsInATextAsUnknown) {
  const auto v = WordVocabulary::parse("<unk>\n<s>\n</s>\nboat\n", "v");
  EXPECT_THAT(v.encode("<s> boat </s> the <unk>"), ElementsAre(0, 3, 0, 0, 0));
}

TEST(WordVocabulary, C1_RejectsASizeWithoutRoomForAWord) {
  EXPECT_THAT(contract_message([] { WordVocabulary::from_sentences({"a"}, 3); }),
              HasSubstr("most is 3; expected at least 4 (C1)"));
}
TEST(WordVocabulary, C2_RejectsSentencesWithoutWords) {
  EXPECT_THAT(contract_message([] {
                WordVocabulary::from_sentences({"", " <s> "});
              }),
              HasSubstr("sentences have no word; expected one at least (C2)"));
}
TEST(WordVocabulary, C3_RejectsIdsOutOfRange) {
  const auto v = WordVocabulary::from_sentences({"a"});
  EXPECT_THAT(contract_message([&] {
                v.decode({3, 4});
              }),
              HasSubstr("ids has 4; expected 0 <= id < 4 (C3)"));
  EXPECT_THAT(contract_message([&] { v.decode({-1}); }), HasSubstr("ids has -1"));
}

TEST(WordVocabulary, ErrorsNameTheLineOfAnInvalidVocabulary) {
  const auto message = [](std::string_view bytes) {
    return error_message<FileError>([=] { WordVocabulary::parse(bytes, "v.txt"); });
  };
  EXPECT_EQ(message("<unk>\n<s>\n</s>\na\nb\na\n"),
            "v.txt:6: the word \"a\" is already on line 4; expected each word once");
  EXPECT_EQ(message("<unk>\n</s>\na\n"),
            "v.txt:3: the vocabulary ends without the word <s>; expected <unk>, <s> and </s>");
  EXPECT_THAT(message(""), HasSubstr("v.txt:1: the vocabulary ends without the word <unk>"));
  EXPECT_THAT(message("<unk>\na b\n"), HasSubstr("v.txt:2: the line has a space; expected one"));
  EXPECT_THAT(message("<unk>\n\na"), HasSubstr("v.txt:2: the line is empty; expected one word"));
  EXPECT_THAT(error_message<FileError>([] { WordVocabulary::load("/nonexistent/v"); }),
              HasSubstr("/nonexistent/v: does not exist"));
}

// The published file orders equally frequent words differently, and contains other words of those
// that occur only twice.
TEST(WordVocabulary, AgreesWithTheFileOfTheSharedCorpusExceptForRareWords) {
  const std::string folder = "small_parallel_enja";
  if (!shared_data_exists(folder + "/train.en"))
    GTEST_SKIP() << "no " << find_shared_data_folder() / folder;
  const auto file = WordVocabulary::load(find_shared_data_folder() / folder / "train.en.vocab.4k");
  const auto text =
      normproof::ref::data::read_parallel_text(find_shared_data_folder() / folder / "train.ja",
                                               find_shared_data_folder() / folder / "train.en");
  const auto made = WordVocabulary::from_sentences(text.target);
  EXPECT_EQ(file.size(), 4096u);
  EXPECT_EQ(made.size(), 4096u);
  EXPECT_EQ(file.unknown_id(), 0);
  EXPECT_EQ(file.end_id(), 2);
  const auto words = [](const WordVocabulary& v) {
    const auto lines = normproof::ref::data::split_lines(v.text());
    return std::set<std::string>(lines.begin(), lines.end());
  };
  const auto of_file = words(file), of_made = words(made);
  std::vector<std::string> both;
  std::ranges::set_intersection(of_file, of_made, std::back_inserter(both));
  EXPECT_EQ(both.size(), 4084u);
  std::size_t unknown = 0;
  for (const std::string& sentence : text.target)
    for (const auto id : file.encode(sentence)) unknown += id == file.unknown_id() ? 1 : 0;
  EXPECT_LT(unknown, 391'047u / 100);
}

}  // namespace
}  // namespace normproof::tests::ref::data
