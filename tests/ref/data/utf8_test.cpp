#include "ref/data/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace normproof::tests::ref::data {
namespace {

using namespace ::normproof::ref::data;

TEST(NextCharacter, DecodesUtf8CharactersOfOneToFourBytes) {
  const std::string_view text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  std::vector<std::int32_t> characters;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size();) {
    characters.push_back(next_character(text, i));
    ends.push_back(i);
  }
  EXPECT_EQ(characters, (std::vector<std::int32_t>{'a', 0xe4, 0x20ac, 0x1f600}));
  EXPECT_EQ(ends, (std::vector<std::size_t>{1, 3, 6, 10}));
}

TEST(IsWellFormedUtf8, RejectsByteSequencesThatUnicodeForbids) {
  EXPECT_TRUE(is_well_formed_utf8(""));
  EXPECT_TRUE(is_well_formed_utf8("\xf4\x8f\xbf\xbf"));  // U+10FFFF
  for (const std::string_view bad :
       {"\x80", "\xff", "a\xe4z", "\xc3", "\xe2\x82", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"}) {
    EXPECT_FALSE(is_well_formed_utf8(bad)) << ::testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace normproof::tests::ref::data
