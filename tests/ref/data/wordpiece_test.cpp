#include "ref/data/wordpiece.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

#include "ref/data/basic_tokenization.hpp"
#include "ref/data/phrasebank.hpp"
#include "ref/data/synthetic.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/data/utf8_character.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using ::testing::StrEq;
using namespace ::normproof::ref::data;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::ContractError;

using Ids = std::vector<std::int32_t>;
using Tokens = std::vector<std::string>;

const WordPieceTokenizer& small_tokenizer() {
  static const WordPieceTokenizer tokenizer(
      Vocabulary::from_tokens({"[PAD]",    "[UNK]",   "[CLS]", "[SEP]", "[MASK]", "un",   "##aff",
                               "##able",   "a",       "##a",   "ab",    "##bd",   ".",    "\u00f8",
                               "##\u00f8", "\u00f8y", "##s",   "want",  "wanted", "##ed", "#"},
                              "small"));
  return tokenizer;
}

Tokens token_texts(const WordPieceTokenizer& tokenizer, std::string_view text) {
  Tokens tokens;
  for (const auto id : tokenizer.pieces(text)) tokens.push_back(tokenizer.vocabulary().token(id));
  return tokens;
}

TEST(WordPiece, ChoosesTheLongestPieceFirst) {
  EXPECT_EQ(token_texts(small_tokenizer(), "unaffable"), (Tokens{"un", "##aff", "##able"}));
  EXPECT_EQ(token_texts(small_tokenizer(), "Wanted wants"), (Tokens{"wanted", "want", "##s"}));
  EXPECT_EQ(token_texts(small_tokenizer(), "wanteds"), (Tokens{"wanted", "##s"}));
  EXPECT_EQ(token_texts(small_tokenizer(), "wantaed."), (Tokens{"want", "##a", "##ed", "."}));
}

TEST(WordPiece, NeverBacktracks) {
  // "a" "##bd" would fit, but "ab" is chosen first, and then nothing fits.
  EXPECT_EQ(token_texts(small_tokenizer(), "abd a"), (Tokens{"[UNK]", "a"}));
}

TEST(WordPiece, AWordWithoutAMatchingPieceIsUnknownAsAWhole) {
  EXPECT_EQ(token_texts(small_tokenizer(), "unaffablex"), (Tokens{"[UNK]"}));
  EXPECT_EQ(token_texts(small_tokenizer(), "xun a zz ."), (Tokens{"[UNK]", "a", "[UNK]", "."}));
  EXPECT_EQ(token_texts(small_tokenizer(), "s"), (Tokens{"[UNK]"}));    // only "##s" exists
  EXPECT_EQ(token_texts(small_tokenizer(), "aun"), (Tokens{"[UNK]"}));  // only "un" exists
  EXPECT_EQ(token_texts(small_tokenizer(), "##s"), (Tokens{"#", "#", "[UNK]"}));
  EXPECT_EQ(token_texts(small_tokenizer(), "[MASK]"), (Tokens{"[UNK]", "[UNK]", "[UNK]"}));
}

TEST(WordPiece, PiecesEndAtCharacterBoundaries) {
  EXPECT_EQ(token_texts(small_tokenizer(), "\u00d8\u00f8s \u00f8y"),
            (Tokens{"\u00f8", "##\u00f8", "##s", "\u00f8y"}));
}

TEST(WordPiece, WordsOfMoreThanAHundredCharactersAreUnknown) {
  EXPECT_EQ(small_tokenizer().pieces(std::string(100, 'a')).size(), 100u);
  EXPECT_EQ(token_texts(small_tokenizer(), std::string(101, 'a')), (Tokens{"[UNK]"}));
  std::string two_bytes_each;
  for (int i = 0; i < 100; ++i) two_bytes_each += "\u00f8";
  EXPECT_EQ(small_tokenizer().pieces(two_bytes_each).size(), 100u);
  EXPECT_EQ(token_texts(small_tokenizer(), two_bytes_each + "\u00f8"), (Tokens{"[UNK]"}));
  // Accents and control characters are removed before counting.
  std::string accented;
  for (int i = 0; i < 100; ++i) accented += "\u00e4\u0301\u00ad";
  EXPECT_EQ(small_tokenizer().pieces(accented).size(), 100u);
}

TEST(WordPiece, EncodeAddsClsBeforeAndSepAfterTheText) {
  EXPECT_EQ(small_tokenizer().encode(""), (Ids{2, 3}));
  EXPECT_EQ(small_tokenizer().encode("unaffable ."), (Ids{2, 5, 6, 7, 12, 3}));
  EXPECT_EQ(small_tokenizer().pieces("unaffable ."), (Ids{5, 6, 7, 12}));
}

TEST(WordPiece, EncodeTruncatesTheTextAndKeepsSep) {
  EXPECT_EQ(small_tokenizer().encode("unaffable .", 7), (Ids{2, 5, 6, 7, 12, 3}));
  EXPECT_EQ(small_tokenizer().encode("unaffable .", 6), (Ids{2, 5, 6, 7, 12, 3}));
  EXPECT_EQ(small_tokenizer().encode("unaffable .", 5), (Ids{2, 5, 6, 7, 3}));
  EXPECT_EQ(small_tokenizer().encode("unaffable .", 3), (Ids{2, 5, 3}));
  EXPECT_EQ(small_tokenizer().encode("unaffable .", 2), (Ids{2, 3}));
  EXPECT_EQ(small_tokenizer().encode("", 2), (Ids{2, 3}));
}

TEST(WordPiece, RejectsTextThatIsNotUtf8) {
  EXPECT_THROW(small_tokenizer().pieces("\xe4"), ContractError);
  EXPECT_THROW(small_tokenizer().encode("\xe4"), ContractError);
}

TEST(WordPiece, C2_RejectsMaxLengthBelowTwo) {
  EXPECT_THAT(contract_message([] { small_tokenizer().encode("a", 1); }),
              StrEq("WordPieceTokenizer::encode: max_length is 1; expected at least 2 (C2)"));
  EXPECT_THROW(small_tokenizer().encode("a", 0), ContractError);
}

const WordPieceTokenizer& synthetic_tokenizer() {
  static const WordPieceTokenizer tokenizer(
      Vocabulary::from_tokens(synthetic_vocabulary(), "synthetic"));
  return tokenizer;
}

/// Joins the pieces of one word, without the marks "##". Returns "" if a piece after the first
/// lacks the mark.
std::string join_pieces(const Tokens& tokens) {
  std::string word = tokens.at(0);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].starts_with("##")) return "";
    word += tokens[i].substr(2);
  }
  return word;
}

RC_GTEST_PROP(WordPiece, PiecesSpellEachWord, ()) {
  std::string text;
  for (const int c : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 256)))
    text += utf8_character(c);
  Ids all;
  for (const auto& word : basic_tokenize(text)) {
    const auto ids = synthetic_tokenizer().pieces(word);
    all.insert(all.end(), ids.begin(), ids.end());
    if (word.size() <= WordPieceTokenizer::max_word_characters)
      RC_ASSERT(join_pieces(token_texts(synthetic_tokenizer(), word)) == word);
  }
  RC_ASSERT(synthetic_tokenizer().pieces(text) == all);
}

RC_GTEST_PROP(WordPiece, IdsAreInTheVocabulary, ()) {
  std::string text;
  for (const int c : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 0xd800)))
    text += utf8_character(c);
  const auto length = *rc::gen::inRange<std::size_t>(2, 20);
  const auto ids = synthetic_tokenizer().encode(text, length);
  RC_ASSERT(ids.size() >= 2u && ids.size() <= length);
  RC_ASSERT(ids.front() == synthetic_tokenizer().vocabulary().cls_id());
  RC_ASSERT(ids.back() == synthetic_tokenizer().vocabulary().sep_id());
  const auto vocab_size = static_cast<std::int32_t>(synthetic_tokenizer().vocabulary().size());
  RC_ASSERT(std::ranges::all_of(ids, [=](auto id) { return 0 <= id && id < vocab_size; }));
  // Truncation cuts only the end.
  const auto whole = synthetic_tokenizer().encode(text);
  RC_ASSERT(std::equal(ids.begin(), ids.end() - 1, whole.begin()));
}

class WordPieceOnPhraseBank : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& file : {sentences_, vocab_, expected_}) {
      if (!shared_data_exists(file))
        GTEST_SKIP() << (find_shared_data_folder() / file) << " is absent";
    }
    const WordPieceTokenizer tokenizer(Vocabulary::load(find_shared_data_folder() / vocab_));
    for (const auto& s : read_phrasebank(find_shared_data_folder() / sentences_))
      ids_.push_back(tokenizer.encode(s.sentence));
  }

  const std::filesystem::path sentences_ = "financial_phrasebank/Sentences_AllAgree.txt";
  const std::filesystem::path vocab_ = "bert_base_uncased/vocab.txt";
  const std::filesystem::path expected_ = "bert_base_uncased/expected_ids_first_100_sentences.txt";
  std::vector<Ids> ids_;
};

TEST_F(WordPieceOnPhraseBank, MatchesTheExpectedIdsOfTheFirst100Sentences) {
  std::ifstream expected(find_shared_data_folder() / expected_);
  std::size_t lines = 0;
  for (std::string line; std::getline(expected, line); ++lines) {
    std::istringstream numbers(line);
    const Ids ids{std::istream_iterator<std::int32_t>(numbers), {}};
    ASSERT_LT(lines, ids_.size());
    EXPECT_EQ(ids_[lines], ids) << "sentence " << lines + 1;
  }
  EXPECT_EQ(lines, 100u);
}

TEST_F(WordPieceOnPhraseBank, EncodedSentencesHaveTheKnownLengths) {
  std::vector<std::size_t> lengths;
  for (const auto& ids : ids_) lengths.push_back(ids.size());
  std::ranges::sort(lengths);
  ASSERT_EQ(lengths.size(), 2264u);
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), 68295u);
  EXPECT_EQ(lengths[lengths.size() * 95 / 100], 58u);
  EXPECT_EQ(lengths[lengths.size() * 99 / 100], 68u);
  EXPECT_EQ(lengths.back(), 150u);
}

}  // namespace
}  // namespace normproof::tests::ref::data
