#include "verification/training/pair_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/io/sha256.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_translation.hpp"

namespace normproof::verification::training {
namespace {

using ref::train::kIgnored;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PairData two_sentence_pairs() {
  const ref::data::ParallelText text{{"b a", "b"}, {"x", "y x y"}};
  return add_vocabularies({text, text, text}, small_translation_config());
}

TEST(SentencePairs, BatchesHaveSpecialTokensAndPadding) {
  const PairData data = two_sentence_pairs();
  // The ids are <unk> 0, <s> 1 and </s> 2. The words follow by frequency: b 3 and a 4 in the
  // source, x 3 and y 4 in the target.
  const auto batches = make_pairs_in_order(data.text.test, data.words, small_translation_config());
  ASSERT_EQ(batches.size(), 1u);
  const auto& [inputs, targets] = batches[0];
  // the shorter sentence comes first
  EXPECT_THAT(inputs.source.tokens.ids, ElementsAre(3, 2, 2, 3, 4, 2));
  EXPECT_THAT(inputs.source.valid, ElementsAre(true, true, false, true, true, true));
  EXPECT_THAT(inputs.target.tokens.ids, ElementsAre(1, 4, 3, 4, 1, 3, 2, 2));
  EXPECT_THAT(inputs.target.valid, ElementsAre(true, true, true, true, true, true, false, false));
  EXPECT_THAT(targets, ElementsAre(4, 3, 4, 2, 3, 2, kIgnored, kIgnored));
}

TEST(SentencePairs, EachEpochHasEveryPairInANewOrder) {
  const RunConfig config = small_translation_config();
  const PairData data = small_pairs(config);
  const auto first = pair_batches(data, config, 0), second = pair_batches(data, config, 1);
  ASSERT_EQ(first.size(), 4u);
  std::size_t pairs = 0;
  bool differs = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    pairs += first[i].inputs.source.tokens.batch_size;
    differs = differs || first[i].targets != second[i].targets;
  }
  EXPECT_EQ(pairs, 30u);
  EXPECT_TRUE(differs);
  EXPECT_EQ(pair_batches(data, config, 1)[0].targets, second[0].targets);
}

TEST(SentencePairs, VocabularyHoldsTheMostFrequentWordsUpToItsSize) {
  RunConfig config = small_translation_config();
  config.translation.vocabulary_size = 9;
  const PairVocabularies words = small_pairs(config).words;
  EXPECT_EQ(words.source.size(), 9u);
  const auto own = translation_config(config, words);
  EXPECT_EQ(own.model.source_vocab_size, 9u);
  EXPECT_EQ(own.model.target_vocab_size, words.target.size());
  EXPECT_EQ(own.model.d_model, config.translator.d_model);
  EXPECT_EQ(own.training.learning_rate, config.train.learning_rate);
}

TEST(SentencePairs, CountsUnknownWords) {
  const PairVocabularies words = two_sentence_pairs().words;
  EXPECT_EQ(unknown_fraction(words.source, {"a z b", "z"}), 0.5);
  EXPECT_EQ(unknown_fraction(words.source, {"b a"}), 0);
  EXPECT_EQ(unknown_fraction(words.target, {"a b"}), 1);
  EXPECT_EQ(unknown_fraction(words.target, {}), 0);
}

TEST(SentencePairs, VocabulariesReadBackFromJson) {
  const PairData data = two_sentence_pairs();
  const std::string json = pairs_json(data);
  const PairVocabularies words = read_pair_words(json, "data.json");
  EXPECT_EQ(words.source.text(), "<unk>\n<s>\n</s>\nb\na\n");
  EXPECT_EQ(words.target.text(), data.words.target.text());
  const auto object = nlohmann::json::parse(json);
  EXPECT_EQ(object.at("test").at("pairs"), 2);
  EXPECT_EQ(object.at("test").at("source_sha256"), ref::io::sha256("b a\nb\n"));
  EXPECT_EQ(object.at("validation").at("target_sha256"), ref::io::sha256("x\ny x y\n"));
  EXPECT_THAT(file_error_message([] { read_pair_words("{}", "data.json"); }),
              HasSubstr("data.json: source_words is absent"));
  EXPECT_THAT(
      file_error_message([] { read_pair_words(R"({"source_words": "a\n"})", "data.json"); }),
      HasSubstr("data.json: source_words:1: the vocabulary ends without the word <unk>"));
}

}  // namespace
}  // namespace normproof::verification::training
