#include "ref/data/character_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/data/text_file.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::Alphabet;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using ::testing::HasSubstr;

constexpr const char* kText = "b a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n";

TEST(Alphabet, HasEachCharacterOnceInAscendingOrder) {
  const Alphabet alphabet = Alphabet::from_text(kText, "t");
  EXPECT_EQ(alphabet.size(), 7u);
  EXPECT_EQ(alphabet.text(), "\n ab\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(alphabet.encode("ab\n", "t"), (std::vector<std::int32_t>{2, 3, 0}));
  EXPECT_EQ(alphabet.decode(alphabet.encode(kText, "t")), kText);
}

TEST(Alphabet, ErrorsNameTheLineOfInvalidText) {
  const auto message = [](const std::string& text) {
    return error_message<FileError>([&] { Alphabet::from_text(text, "f.txt"); });
  };
  EXPECT_EQ(message(""), "f.txt: is empty; expected a text in UTF-8");
  EXPECT_EQ(message("\xef\xbb\xbf"
                    "a"),
            "f.txt:1: begins with a UTF-8 byte order mark; expected text in UTF-8 without a mark");
  EXPECT_THAT(message("a\nb\xff"), HasSubstr("f.txt:2: has the bytes \"\\xff\"; expected text in"));
  EXPECT_THAT(error_message<FileError>([&] { Alphabet::from_text("ab", "f").encode("a\nb", "g"); }),
              HasSubstr("g:1: has the character \"\\x0a\"; expected one of the 2"));
}

TEST(Alphabet, C1_RejectsTokensOutsideOfTheAlphabet) {
  EXPECT_THAT(contract_message([&] { Alphabet::from_text("ab", "f").decode({2}); }),
              HasSubstr("tokens has the element 2; expected 0 to 1 (C1)"));
}

TEST(Alphabet, TinyShakespeareHas65Characters) {
  const std::string file = "tinyshakespeare/input.txt";
  if (!shared_data_exists(file)) GTEST_SKIP() << "no " << find_shared_data_folder() / file;
  const std::string text = normproof::ref::data::read_bytes(find_shared_data_folder() / file);
  const Alphabet alphabet = Alphabet::from_text(text, file);
  EXPECT_EQ(alphabet.size(), 65u);
  EXPECT_EQ(alphabet.encode(text, file).size(), 1115394u);
}

}  // namespace
}  // namespace normproof::tests::ref::data
