#include "verification/training/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/encoder/encoder.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_language.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

/// Returns a language model after a few training steps.
LanguageModel trained_model() {
  const TextData text = small_text();
  LanguageModel model{small_language_config(text), text.alphabet, {}};
  model.state = ref::train::initial_train_state(model.config.train);
  LanguageTask task(model.config, text);
  task.begin_epoch(0);
  for (std::size_t k = 0; k < 4; ++k) task.step(k, model.state, {});
  return model;
}

/// Completes a text greedily. For each character, the model reads all visible tokens again.
std::string complete_without_cache(const LanguageModel& model, const std::string& prompt,
                                   std::size_t length) {
  const auto& config = model.config.train.encoder;
  const auto parameters = ref::encoder::from_named(config, model.state.parameters);
  auto tokens = model.alphabet.encode(prompt, "prompt");
  const std::size_t given = tokens.size(), context = model.config.context;
  std::size_t first = tokens.size() <= context ? 0 : tokens.size() - context / 2;
  while (tokens.size() < given + length) {
    if (tokens.size() - first > context) first = tokens.size() - context / 2;
    const std::vector<std::int32_t> visible_tokens(
        tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
    auto norms = model.state.norms;
    const auto logits = ref::encoder::Encoder<double>(config, parameters)
                            .forward({{1, visible_tokens.size(), visible_tokens}, {}},
                                     {.mode = ref::model::Mode::inference}, norms);
    const double* const last = logits.data() + (visible_tokens.size() - 1) * config.vocab_size;
    tokens.push_back(
        static_cast<std::int32_t>(std::max_element(last, last + config.vocab_size) - last));
  }
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(given));
  return model.alphabet.decode(tokens);
}

TEST(Completion, EqualsGreedyChoiceWithOneFullPassPerCharacter) {
  const LanguageModel model = trained_model();
  for (const char* prompt : {"t", "the sailo", "the sailor", "the sailors mend the bell"})
    EXPECT_EQ(complete(model, prompt, 25), complete_without_cache(model, prompt, 25)) << prompt;
  EXPECT_EQ(complete(model, "the", 0), "");
}

TEST(Completion, C1_RejectsAnEmptyPrompt) {
  const LanguageModel model = trained_model();
  EXPECT_THAT(ref::numeric::contract_message([&] { complete(model, "", 3); }),
              HasSubstr("prompt is empty; expected a character at least (C1)"));
}

TEST(Completion, ErrorNamesACharacterOutsideTheAlphabet) {
  EXPECT_THAT(file_error_message([&] { complete(trained_model(), "the Z", 3); }),
              HasSubstr("the prompt:1: has the character \"Z\"; expected one of the"));
}

}  // namespace
}  // namespace normproof::verification::training
