#include "verification/training/text_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/train/cross_entropy.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_language.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

TEST(TextData, SplitsTheTextInOrder) {
  const std::string text = ref::data::synthetic_text(3, 30);
  const TextData data = split_text(text, "t");
  EXPECT_EQ(data.training.size(), text.size() * 18 / 20);
  EXPECT_EQ(data.training.size() + data.validation.size(), text.size() * 19 / 20);
  EXPECT_EQ(data.alphabet.decode(data.training) + data.alphabet.decode(data.validation) +
                data.alphabet.decode(data.test),
            text);
}

TEST(TextData, ErrorNamesATextThatIsTooShort) {
  EXPECT_EQ(file_error_message([] { split_text("short", "s.txt"); }),
            "s.txt: has 5 characters; expected 40 at least");
  EXPECT_EQ(split_text(std::string(20, 'a') + std::string(20, 'b'), "s").test.size(), 2u);
}

TEST(TextData, BatchesHaveTheContextOfTheConfiguration) {
  const TextData data = small_text();
  const RunConfig config = small_language_config(data);
  const auto batches = text_batches(data, config, 0);
  EXPECT_EQ(batches[0].inputs.tokens.batch_size, 8u);
  EXPECT_EQ(batches[0].inputs.tokens.seq_len, 10u);
  EXPECT_NE(batches[0].targets, text_batches(data, config, 1)[0].targets);
  const auto in_order = make_batches_in_order(data.validation, config);
  EXPECT_EQ(in_order[0].targets[0], data.validation[1]);
  std::size_t predicted = 0;
  for (const auto& batch : in_order)
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
      EXPECT_EQ(batch.targets[i] != ref::train::kIgnored, batch.inputs.valid.data()[i]);
      predicted += batch.inputs.valid.data()[i] ? 1 : 0;
    }
  EXPECT_EQ(predicted, data.validation.size() - 1);
}

TEST(TextData, AlphabetReadsBackFromJson) {
  const TextData data = small_text();
  EXPECT_EQ(read_alphabet(text_json(data), "d").text(), data.alphabet.text());
  EXPECT_THAT(file_error_message([] { read_alphabet("{}", "data.json"); }),
              HasSubstr("data.json: alphabet is absent"));
}

}  // namespace
}  // namespace normproof::verification::training
