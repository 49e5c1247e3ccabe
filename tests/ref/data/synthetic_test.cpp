#include "ref/data/synthetic.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "ref/data/wordpiece.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/data/utf8_character.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using ::testing::StrEq;
using namespace ::normproof::ref::data;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::ContractError;

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string text;
  for (const auto byte : digest) {
    for (const auto nibble : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[static_cast<std::size_t>(nibble)];
  }
  return text;
}

WordPieceTokenizer make_tokenizer() {
  return WordPieceTokenizer(Vocabulary::from_tokens(synthetic_vocabulary(), "synthetic"));
}

TEST(SyntheticPhraseBank, BytesMatchTheRecordedHash) {
  EXPECT_EQ(sha256(synthetic_phrasebank(42)),
            "37eb669fed85dc8fe029eb563e50ebd67c2cd701cf704b1d78d1916879bec218");
  EXPECT_EQ(sha256(synthetic_phrasebank(7, 100)),
            "f77940e3798c7b8fc0f6e1f6e1c19927a505d94265656c9ae9c35b90eed7f218");
}

TEST(SyntheticPhraseBank, VocabularyMatchesTheRecordedHash) {
  std::string lines;
  for (const auto& token : synthetic_vocabulary()) lines += token + "\n";
  EXPECT_EQ(sha256(lines), "abb6e3809c550ab5ba6a518359b45e3a439ee82cd6ffe234e470eeae71e44fc7");
  EXPECT_EQ(synthetic_vocabulary().size(), 687u);
}

TEST(SyntheticPhraseBank, ParsingTheBytesReturnsTheSentences) {
  const auto sentences = synthetic_sentences(42);
  EXPECT_EQ(sentences.size(), default_synthetic_sentences);
  EXPECT_EQ(parse_phrasebank(synthetic_phrasebank(42), "synthetic"), sentences);
}

TEST(SyntheticPhraseBank, SomeSentencesHaveAccentsAndAtSigns) {
  const auto has = [sentences = synthetic_sentences(42)](std::string_view text) {
    return std::ranges::any_of(
        sentences, [text](const auto& s) { return s.sentence.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("\u00e4"));
  EXPECT_TRUE(has("\u00d8") || has("\u00f8"));
  EXPECT_TRUE(has("\u00a3"));
  EXPECT_TRUE(has("ir@"));
  EXPECT_FALSE(has("{"));
  EXPECT_FALSE(has("}"));
}

// The header documents these figures, rounded, for large corpora. Here they are exact for one seed.
TEST(SyntheticPhraseBank, LengthsAndLabelsMatchTheDocumentedFigures) {
  const auto t = make_tokenizer();
  std::vector<std::size_t> lengths;
  std::array<int, num_labels> labels = {};
  for (const auto& s : synthetic_sentences(3, 10000)) {
    lengths.push_back(t.encode(s.sentence).size());
    ++labels[static_cast<std::size_t>(s.label)];
  }
  std::ranges::sort(lengths);
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), 309935u);
  EXPECT_EQ(lengths.front(), 5u);
  EXPECT_EQ(lengths[9500], 52u);
  EXPECT_EQ(lengths[9900], 116u);
  EXPECT_EQ(lengths.back(), 163u);
  EXPECT_THAT(labels, ::testing::ElementsAre(1270, 6178, 2552));
}

TEST(SyntheticPhraseBank, C1_RejectsCountsOutOfRange) {
  EXPECT_THAT(contract_message([] { synthetic_sentences(42, 0); }),
              StrEq("synthetic_sentences: count is 0; expected 1 <= count <= 2^40 (C1)"));
  EXPECT_THROW(synthetic_sentences(42, (std::size_t{1} << 40) + 1), ContractError);
}

TEST(SyntheticVocabulary, ContainsEveryLatin1Character) {
  const auto t = make_tokenizer();
  for (int c = 1; c < 256; ++c) {
    const std::string character = utf8_character(c);
    for (const auto& text : {character, fmt::format("a{}{}", character, character)}) {
      EXPECT_EQ(std::ranges::count(t.pieces(text), t.vocabulary().unk_id()), 0) << c;
    }
  }
}

RC_GTEST_PROP(SyntheticPhraseBank, EveryCorpusParsesAndFitsItsVocabulary, (std::uint64_t seed)) {
  static const auto t = make_tokenizer();
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  const auto sentences = synthetic_sentences(seed, count);
  RC_ASSERT(sentences.size() == count);
  RC_ASSERT(parse_phrasebank(synthetic_phrasebank(seed, count), "synthetic") == sentences);
  for (const auto& s : sentences)
    RC_ASSERT(std::ranges::count(t.pieces(s.sentence), t.vocabulary().unk_id()) == 0);
}

RC_GTEST_PROP(SyntheticPhraseBank, ALongerCorpusBeginsWithTheShorterCorpus, (std::uint64_t seed)) {
  const auto longer = synthetic_phrasebank(seed, 20);
  RC_ASSERT(longer.starts_with(synthetic_phrasebank(seed, 7)));
  RC_ASSERT(longer != synthetic_phrasebank(seed + 1, 20));
}

}  // namespace
}  // namespace normproof::tests::ref::data
