#include "verification/studies/language/study_data.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/language/small_data.hpp"
#include "verification/studies/language/protocol.hpp"

namespace normproof::verification::studies::language {
namespace {

using ::testing::HasSubstr;
using training::Task;

TEST(LanguageStudyData, ConfigurationHasTheVocabularySizeOfTheData) {
  const StudyData data = small_study_data();
  const training::RunConfig config = make_run_config_with_data(quick_cell("none"), data);
  EXPECT_EQ(config.train.encoder.vocab_size, data.text->alphabet.size());
  EXPECT_EQ(config.train.encoder.num_classes, data.text->alphabet.size());
}

TEST(LanguageStudyData, TextShorterThanAContextIsRejected) {
  StudyData data = small_study_data();
  data.text->training.resize(32);
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>(
                  [&] { make_run_config_with_data(quick_cell("none"), data); }),
              HasSubstr("the data has 32 characters to train on; expected more than 32, a context "
                        "of language/pre/none"));
}

TEST(LanguageStudyData, LanguageModelIsTestedOnTheTestPart) {
  StudyData data = small_study_data();
  const training::RunConfig config = make_run_config_with_data(quick_cell("none"), data);
  auto state = ref::train::initial_train_state(config.train);
  const TestMeasures test = measure_test(config, data, state);
  EXPECT_EQ(test.loss,
            ref::train::language_loss<double>(
                config.train, training::make_batches_in_order(data.text->test, config), state));
  EXPECT_NE(test.loss, make_task(config, data)->validate(state).loss);
  EXPECT_EQ(test.bleu, std::nullopt);
}

// The test must give the same measures as a validation on the test pairs would.
TEST(LanguageStudyData, TranslatorIsTestedOnTheTestPairs) {
  StudyData data = small_study_data();
  const Cell cell = quick_cell("layer_norm", Task::translate);
  const training::RunConfig config = make_run_config_with_data(cell, data);
  EXPECT_EQ(config.translation.bleu_pairs, 8u);
  const auto task = make_task(config, data);
  auto state = task->initial_state();
  task->begin_epoch(0);
  for (std::size_t k = 0; k < 3; ++k) task->step(k, state, {});
  const TestMeasures test = measure_test(config, data, state);
  const double other = task->validate(state).loss;
  std::swap(data.pairs->text.validation, data.pairs->text.test);
  const auto swapped = make_task(config, data)->validate(state);
  EXPECT_EQ(test.loss, swapped.loss);
  EXPECT_NE(test.loss, other);
  EXPECT_EQ(test.bleu, swapped.qualities.at(1).second);
}

TEST(LanguageStudyData, TaskWithoutItsDataIsRejected) {
  const auto refused = [](StudyData data, Task task) {
    return ref::numeric::error_message<ref::numeric::UsageError>(
        [&] { make_run_config_with_data(quick_cell("none", task), data); });
  };
  EXPECT_THAT(refused({.text = small_study_data().text}, Task::translate),
              HasSubstr("is of the task translate; expected pairs to train it on"));
  EXPECT_THAT(refused({.pairs = small_study_data().pairs}, Task::language),
              HasSubstr("is of the task language; expected a text to train it on"));
}

TEST(LanguageStudyData, IdentityParsesBackAndADamagedOneIsRejected) {
  const StudyData data = small_study_data();
  const DataHashes hashes = data_hashes({Task::language}, data);
  const std::string text = study_identity(hashes);
  EXPECT_EQ(parse_data_hashes(text, "f"), hashes);
  EXPECT_THAT(text, HasSubstr("\"task\": \"language\",\n \"data_sha256\": \""));
  StudyData other = data;
  other.text->test.pop_back();
  EXPECT_NE(data_sha256(Task::language, other), data_sha256(Task::language, data));
  const auto refused = [&](const std::string& of, const std::string& by) {
    std::string altered = text;
    altered.replace(altered.find(of), of.size(), by);
    return ref::numeric::error_message<ref::numeric::FileError>(
        [&] { parse_data_hashes(altered, "f"); });
  };
  EXPECT_THAT(refused("language-study-1", "study-1"),
              HasSubstr("f: format is 'normproof-study-1'"));
  EXPECT_THAT(refused("\"contract\": ", "\"contract\": 9"), HasSubstr("f: contract is 9"));
  EXPECT_THAT(refused("data_sha256", "data"), HasSubstr("f: data_sha256 is absent"));
  EXPECT_THAT(refused("\"language\"", "\"classify\""),
              HasSubstr("f: task is 'classify'; expected language or translate"));
}

TEST(LanguageStudyData, IdentitiesOfDifferentProtocolsDiffer) {
  const StudyData data = small_study_data();
  for (const std::vector<Task>& tasks :
       {std::vector{Task::language}, std::vector{Task::translate, Task::language}}) {
    const std::string text = study_identity(data_hashes(tasks, data));
    EXPECT_TRUE(has_same_protocol(text, text));
    auto without = nlohmann::json::parse(text);
    EXPECT_EQ(without.erase("protocol_sha256"), 1u);
    EXPECT_FALSE(has_same_protocol(without.dump(), text));
    std::string other = text;
    const std::string hash = protocol_sha256(Task::language);
    other.replace(other.find(hash), hash.size(), std::string(hash.size(), '0'));
    EXPECT_FALSE(has_same_protocol(text, other));
  }
}

TEST(LanguageStudyData, IdentityOfSeveralTasksParsesBack) {
  const StudyData data = small_study_data();
  const DataHashes hashes = data_hashes({Task::translate, Task::language}, data);
  ASSERT_EQ(hashes.size(), 2u);
  EXPECT_NE(hashes.at(Task::language), hashes.at(Task::translate));
  std::string text = study_identity(hashes);
  EXPECT_EQ(parse_data_hashes(text, "f"), hashes);
  text.replace(text.find("\"translate\""), 11, "\"transpose\"");
  EXPECT_THAT(
      ref::numeric::error_message<ref::numeric::FileError>([&] { parse_data_hashes(text, "f"); }),
      HasSubstr("f: tasks is 'transpose'; expected language or translate"));
}

}  // namespace
}  // namespace normproof::verification::studies::language
