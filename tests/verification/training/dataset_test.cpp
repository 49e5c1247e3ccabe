#include "verification/training/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/training/samples.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Sentences hundred_sentences() {
  Sentences all;
  for (int i = 0; i < 100; ++i) {
    all.sequences.push_back({i, 1});
    all.labels.push_back(i % 3);
  }
  return all;
}

TEST(DatasetSplit, FollowsTheSeedOrTheGivenIndices) {
  RunConfig config;
  const Dataset data = split(hundred_sentences(), {}, config);
  EXPECT_EQ(data.training.sequences.size(), 80u);
  EXPECT_EQ(data.validation.sequences.size(), 20u);
  EXPECT_EQ(split(hundred_sentences(), {}, config).validation.sequences, data.validation.sequences);
  config.train.seed = 43;
  EXPECT_NE(split(hundred_sentences(), {}, config).validation.sequences, data.validation.sequences);
  const Dataset named = split(hundred_sentences(), {3, 98}, config);
  EXPECT_THAT(named.validation.sequences, ElementsAre(ElementsAre(3, 1), ElementsAre(98, 1)));
  EXPECT_THAT(named.validation.labels, ElementsAre(0, 2));
  EXPECT_THAT(usage_error_message([&] {
                split({{{1}}, {0}}, {}, config);
              }),
              HasSubstr("of 1 sentences none is left to validate on"));
}

TEST(ParseSplit, ErrorNamesTheInvalidLine) {
  EXPECT_THAT(parse_split("3\n0\n2", "f", 4), ElementsAre(3u, 0u, 2u));
  const auto message = [](const char* text) {
    return file_error_message([&] { parse_split(text, "f", 4); });
  };
  EXPECT_THAT(message("3\n4\n"),
              HasSubstr("f: line 2 is '4'; expected the number of a sentence, 0 to 3"));
  EXPECT_THAT(message("3\nx\n"), HasSubstr("line 2 is 'x'"));
  EXPECT_THAT(message("3\n\n"), HasSubstr("line 2 is ''"));
  EXPECT_THAT(message("3\n1\n3\n"), HasSubstr("line 3 names sentence 3 again"));
}

TEST(EpochBatches, CoverEverySentenceOncePerEpoch) {
  const Dataset data = small_dataset();
  const RunConfig config = small_run_config();
  EXPECT_EQ(steps_per_epoch(data, config), 3u);
  RunConfig accumulated = config;
  accumulated.train.accumulation = 2;
  EXPECT_EQ(steps_per_epoch(data, accumulated), 2u);
  for (const std::uint64_t epoch : {0, 1}) {
    std::size_t sentences = 0;
    for (const auto& batch : training_batches(data, config, epoch)) {
      sentences += batch.labels.size();
      for (std::size_t b = 0; b < batch.labels.size(); ++b)
        EXPECT_EQ(batch.inputs.tokens.ids[b * batch.inputs.tokens.seq_len], 1 + batch.labels[b]);
    }
    EXPECT_EQ(sentences, 7u);
  }
  EXPECT_NE(training_batches(data, config, 0)[0].labels,
            training_batches(data, config, 1)[0].labels);
  const auto validation = validation_batches(data, config);
  ASSERT_EQ(validation.size(), 1u);
  EXPECT_EQ(validation[0].labels, data.validation.labels);
  EXPECT_FALSE(validation[0].inputs.valid.data()[validation[0].inputs.tokens.seq_len * 2 - 1] &&
               validation[0].inputs.valid.data()[validation[0].inputs.tokens.seq_len - 1]);
}

TEST(ClassWeights, MatchEveryOptionOfTheLoss) {
  Dataset data;
  data.training.labels = {0, 1, 1, 2, 1, 1};
  RunConfig config;
  EXPECT_EQ(class_weights(data, config), (ref::tensor::Tensor<double>{2, 0.5, 2}));
  config.train.class_weights = ref::model::ClassWeights::frequency;
  EXPECT_EQ(class_weights(data, config), (ref::tensor::Tensor<double>{1, 4, 1}));
  config.train.class_weights = ref::model::ClassWeights::none;
  EXPECT_EQ(class_weights(data, config).dimension(), 0u);
  config.train.class_weights = ref::model::ClassWeights::inverse_frequency;
  data.training.labels = {0, 1};
  EXPECT_THAT(usage_error_message([&] { class_weights(data, config); }),
              HasSubstr("class 2 has no training sentence"));
}

TEST(DataJson, DiffersForDifferentDatasets) {
  const Dataset data = small_dataset();
  Dataset other = data;
  other.validation.labels[0] = 2 - other.validation.labels[0] / 2;
  EXPECT_NE(data_json(other), data_json(data));
  other = data;
  other.training.sequences[0][0] = 9;
  EXPECT_NE(data_json(other), data_json(data));
  EXPECT_EQ(data_json(data).find("weights"), std::string::npos);
  EXPECT_NE(data_json(data, "abc").find("\"weights\": \"abc\""), std::string::npos);
}

TEST(BatchesOfStep, LastStepOfAnEpochTakesTheRemainingBatches) {
  RunConfig config = small_run_config();
  config.train.accumulation = 2;
  const std::vector<ref::train::LabelledBatch> epoch(3);
  EXPECT_EQ(select_step_batches(epoch, config, 0).size(), 2u);
  EXPECT_EQ(select_step_batches(epoch, config, 1).size(), 1u);
  EXPECT_EQ(select_step_batches(epoch, config, 1).data(), &epoch[2]);
}

}  // namespace
}  // namespace normproof::verification::training
