#include "ref/data/synthetic_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::synthetic_text;
using normproof::ref::numeric::contract_message;

TEST(SyntheticText, FirstSentencesMatchTheRecordedSentences) {
  EXPECT_EQ(synthetic_text(42, 3),
            "the weaver carries the heavy clock.\nthe singer forgets the heavy bell at the tower.\n"
            "the weavers carry the bells.\n");
}

TEST(SyntheticText, ALongerTextBeginsWithTheShorterText) {
  EXPECT_TRUE(synthetic_text(1, 50).starts_with(synthetic_text(1, 20)));
  EXPECT_FALSE(synthetic_text(2, 50).starts_with(synthetic_text(1, 20)));
  const std::string text = synthetic_text(42);
  EXPECT_EQ(std::ranges::count(text, '\n'), 800);
}

TEST(SyntheticText, SubjectsAgreeWithTheirVerbs) {
  std::istringstream lines(synthetic_text(42));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string the, noun, verb;
    words >> the >> noun >> verb;
    const bool has_kind = verb.ends_with("er") || verb.ends_with("or") || verb.ends_with("ers") ||
                          verb.ends_with("ors");
    if (has_kind) {
      noun = verb;
      words >> verb;
    }
    EXPECT_NE(noun.ends_with('s'), verb.ends_with('s')) << line;
  }
}

TEST(SyntheticText, C1_RejectsCountZero) {
  EXPECT_THAT(contract_message([] { synthetic_text(1, 0); }),
              testing::HasSubstr("count is 0; expected 1 <= count"));
}

}  // namespace
}  // namespace normproof::tests::ref::data
