#include "ref/io/sha256.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

namespace normproof::ref::io {
namespace {

// These examples are from the standard FIPS 180-4.
TEST(Sha256, MatchesKnownHashes) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, BytesAndTextGiveTheSameHash) {
  const std::vector<std::byte> bytes = {std::byte{0}, std::byte{0xff}, std::byte{10}};
  EXPECT_EQ(sha256(bytes), sha256(std::string_view("\0\xff\n", 3)));
  EXPECT_NE(sha256(bytes), sha256(std::string_view("\xff\n", 2)));
}

TEST(Sha256, PartsGiveTheHashOfTheirConcatenation) {
  const std::string_view first = "abc", rest = "dbcdecdef";
  const std::span<const std::byte> parts[] = {
      std::as_bytes(std::span(first)), {}, std::as_bytes(std::span(rest))};
  EXPECT_EQ(sha256(parts), sha256("abcdbcdecdef"));
}

}  // namespace
}  // namespace normproof::ref::io
