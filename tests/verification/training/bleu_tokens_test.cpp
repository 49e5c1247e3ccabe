#include "verification/training/bleu_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/training/samples.hpp"

// bleu_test.cpp compares more tokens with those of sacrebleu.
namespace normproof::verification::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BleuTokens, TokenizerNoneSplitsAtWhiteSpace) {
  EXPECT_THAT(bleu_tokens(" a,b \t c\u3000\u00e9.\n", BleuTokenizer::none),
              ElementsAre("a,b", "c", "\u00e9."));
  EXPECT_THAT(bleu_tokens("", BleuTokenizer::none), ElementsAre());
}

TEST(BleuTokens, Tokenizer13aSeparatesPunctuation) {
  const auto tokens = [](const char* text) { return bleu_tokens(text, BleuTokenizer::mteval_13a); };
  EXPECT_THAT(tokens("why? (so)."), ElementsAre("why", "?", "(", "so", ")", "."));
  EXPECT_THAT(tokens("1,234.5 5. .5 a.b"),
              ElementsAre("1,234.5", "5", ".", ".", "5", "a", ".", "b"));
  EXPECT_THAT(tokens("1990-95 well-known it's"),
              ElementsAre("1990", "-", "95", "well-known", "it's"));
  EXPECT_THAT(tokens("&quot;a&amp;lt;"), ElementsAre("\"", "a", "<"));
}

TEST(BleuTokens, C1_RejectsIllFormedUtf8) {
  EXPECT_THAT(ref::numeric::contract_message([] { bleu_tokens("a \xff b", BleuTokenizer::none); }),
              HasSubstr("sentence is not UTF-8 from byte 2 on; expected well-formed UTF-8 (C1)"));
}

}  // namespace
}  // namespace normproof::verification::training
