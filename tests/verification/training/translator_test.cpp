#include "verification/training/translator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/numeric/parallel.hpp"
#include "tests/verification/training/small_translation.hpp"
#include "verification/training/translate_task.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::ElementsAre;

class TrainedTranslator : public ::testing::Test {
 protected:
  TrainedTranslator() {
    config_.translator.encoder.norm = ref::model::PowerNormOptions{};
    TranslateTask task(config_, pairs_);
    state_ = task.initial_state();
    for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
      task.begin_epoch(epoch);
      for (std::size_t k = 0; k < task.steps_per_epoch(); ++k) task.step(k, state_, {});
    }
  }
  std::vector<std::string> translated(const std::vector<std::string>& sentences,
                                      const TranslationSearch& search = {}) const {
    return translate(config_, pairs_.words, state_, sentences, search);
  }

  /// Translates a sentence greedily. Before it predicts a word, the model reads all earlier words
  /// of the translation again.
  std::string translate_without_cache(const std::string& sentence) const {
    const auto model = translation_config(config_, pairs_.words).model;
    const auto parameters = ref::decoder::from_named(model, state_.parameters);
    const ref::data::WordVocabulary& words = pairs_.words.target;
    std::vector<std::int32_t> source = pairs_.words.source.encode(sentence),
                              target = {words.begin_id()};
    source.push_back(pairs_.words.source.end_id());
    while (target.size() <= config_.translation.max_length) {
      auto norms = state_.norms;
      const auto logits =
          ref::decoder::Decoder<double>(model, parameters)
              .forward({{{1, source.size(), source}, {}}, {{1, target.size(), target}, {}}},
                       {.mode = ref::model::Mode::inference}, norms);
      const double* const last = logits.data() + (target.size() - 1) * words.size();
      target.push_back(
          static_cast<std::int32_t>(std::max_element(last, last + words.size()) - last));
      if (target.back() == words.end_id()) break;
    }
    return words.decode(target);
  }

  RunConfig config_ = small_translation_config();
  PairData pairs_ = small_pairs();
  ref::train::TrainState<double> state_;
};

TEST_F(TrainedTranslator, EqualsGreedyChoiceWithOneFullPassPerWord) {
  const auto& sentences = pairs_.text.test.source;
  const auto translations = translated(sentences);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(translations[i], translate_without_cache(sentences[i])) << sentences[i];
    EXPECT_NE(translations[i], "");
  }
}

// For any beam width, the translation of a sentence must not depend on the other sentences or on
// the number of threads.
TEST_F(TrainedTranslator, TranslationDependsOnlyOnItsSentence) {
  const auto& sentences = pairs_.text.test.source;
  for (const std::size_t width : {1, 3}) {
    const TranslationSearch search{.width = width, .length_penalty = 1};
    const auto together = translated(sentences, search);
    ref::numeric::set_num_threads(3);
    EXPECT_EQ(translated(sentences, search), together);
    ref::numeric::set_num_threads(1);
    for (std::size_t i = 0; i < sentences.size(); ++i)
      EXPECT_THAT(translated({sentences[i]}, search), ElementsAre(together[i]));
  }
  EXPECT_NE(translated(sentences), translated(sentences, {.width = 5, .length_penalty = 0}));
}

TEST_F(TrainedTranslator, UnknownWordsAreInterchangeableAndEmptySentencesStayEmpty) {
  const auto found = translated({"quux ga", "", "  ", "zork ga"});
  EXPECT_EQ(found[0], found[3]);
  EXPECT_EQ(found[1], "");
  EXPECT_EQ(found[2], "");
  EXPECT_TRUE(translated({}).empty());
}

TEST_F(TrainedTranslator, TranslationIsCutOffAtMaxLength) {
  config_.translation.max_length = 2;
  for (const std::string& translation : translated(pairs_.text.test.source))
    EXPECT_LE(std::ranges::count(translation, ' '), 1) << translation;
}

}  // namespace
}  // namespace normproof::verification::training
