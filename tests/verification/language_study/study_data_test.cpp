#include "verification/language_study/study_data.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/language_study/small_data.hpp"

namespace normproof::verification::language_study {
namespace {

using ::testing::HasSubstr;

TEST(StudyData, GivesTheConfigurationItsVocabulary) {
  const StudyData data = small_data();
  const training::RunConfig config = config_for(quick_cell("none"), data);
  EXPECT_EQ(config.train.encoder.vocab_size, data.text.alphabet.size());
  EXPECT_EQ(config.train.encoder.num_classes, data.text.alphabet.size());
}

TEST(StudyData, ATextShorterThanAContextIsRefused) {
  StudyData data = small_data();
  data.text.training.resize(32);
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>(
                  [&] { config_for(quick_cell("none"), data); }),
              HasSubstr("the data has 32 characters to train on; expected more than 32, a context "
                        "of language/pre/none"));
}

TEST(StudyData, TheTestIsOfThePartThatNothingElseSees) {
  StudyData data = small_data();
  const training::RunConfig config = config_for(quick_cell("none"), data);
  auto state = ref::train::initial_train_state(config.train);
  const double loss = test_loss(config, data, state);
  EXPECT_EQ(loss, ref::train::language_loss<double>(
                      config.train, training::batches_in_order(data.text.test, config), state));
  EXPECT_NE(loss, make_task(config, data)->validate(state).loss);
}

TEST(StudyData, AnIdentityReadsBackAndAnotherIsRefused) {
  const StudyData data = small_data();
  const std::string text = study_identity(training::Task::language, data);
  EXPECT_EQ(data_sha256_of(text, "f"), data_sha256(data));
  StudyData other = data;
  other.text.test.pop_back();
  EXPECT_NE(data_sha256(other), data_sha256(data));
  const auto refused = [&](const std::string& of, const std::string& by) {
    std::string altered = text;
    altered.replace(altered.find(of), of.size(), by);
    return ref::numeric::error_message<ref::numeric::FileError>(
        [&] { data_sha256_of(altered, "f"); });
  };
  EXPECT_THAT(refused("language-study-1", "study-1"),
              HasSubstr("f: format is 'normproof-study-1'"));
  EXPECT_THAT(refused("\"contract\": ", "\"contract\": 9"), HasSubstr("f: contract is 9"));
  EXPECT_THAT(refused("data_sha256", "data"), HasSubstr("f: data_sha256 is absent"));
}

}  // namespace
}  // namespace normproof::verification::language_study
