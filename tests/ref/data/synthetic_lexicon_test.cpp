#include "ref/data/synthetic_lexicon.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ref/data/basic_tokenization.hpp"

namespace normproof::tests::ref::data {
namespace {

using namespace ::normproof::ref::data;

const std::set<std::string_view> generated_slots = {
    "company", "person", "low", "high", "money", "percent", "year", "count", "day", "thousands"};

TEST(SyntheticLexicon, EveryPlaceholderInATextIsDefined) {
  for (const auto& list : lexicon()) {
    for (const auto text : list.texts) {
      for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
        const auto close = text.find('}', open);
        ASSERT_NE(close, text.npos) << text;
        const auto slot = text.substr(open + 1, close - open - 1);
        EXPECT_TRUE(generated_slots.contains(slot) || find_lexicon_list(slot) != nullptr)
            << "{" << slot << "} in " << text;
      }
    }
  }
}

TEST(SyntheticLexicon, ListsAreNotEmptyAndHaveUniqueNames) {
  std::set<std::string_view> names;
  for (const auto& list : lexicon()) {
    EXPECT_FALSE(list.texts.empty()) << list.name;
    for (const auto text : list.texts) EXPECT_FALSE(text.empty()) << list.name;
    EXPECT_TRUE(names.insert(list.name).second) << list.name;
    EXPECT_FALSE(generated_slots.contains(list.name)) << list.name;
    EXPECT_EQ(find_lexicon_list(list.name), &list);
  }
  EXPECT_EQ(find_lexicon_list("no such list"), nullptr);
}

TEST(SyntheticLexicon, StemsAndSyllablesAreWordsAfterBasicTokenization) {
  for (const auto& pieces : {lexicon_stems(), lexicon_syllables()}) {
    for (const auto piece : pieces)
      EXPECT_EQ(basic_tokenize(piece), std::vector{std::string(piece)}) << piece;
  }
}

}  // namespace
}  // namespace normproof::tests::ref::data
