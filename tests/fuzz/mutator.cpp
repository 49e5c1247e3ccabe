#include "tests/fuzz/mutator.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace normproof::tests::fuzz {
namespace {

/// Words that are valid in some places and invalid in others.
constexpr std::string_view kInsertedWords[] = {"0",
                                               "-1",
                                               "1e999",
                                               "-0",
                                               "18446744073709551615",
                                               "18446744073709551616",
                                               "9223372036854775807",
                                               "9999999999999999999999",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               "\"",
                                               ",",
                                               ":",
                                               "()",
                                               "true",
                                               "null",
                                               "nan",
                                               "0x1p+1024",
                                               "F64",
                                               "BF16",
                                               "BOOL",
                                               "'|O8'",
                                               "'>f8'",
                                               "True",
                                               "\\u0000",
                                               "\xff\xff\xff\xff",
                                               "\x93NUMPY",
                                               "PK\x01\x02",
                                               "__metadata__",
                                               "x",
                                               " ",
                                               "\n"};
constexpr std::uint64_t kInsertedLengths[] = {
    0, 1, 7, 0x7fffffff, 0xffffffff, 100'000'001, 1ULL << 40, ~0ULL >> 1, ~0ULL};

}  // namespace

std::vector<std::byte> Mutator::next(const std::vector<std::vector<std::byte>>& seeds) {
  std::vector<std::byte> bytes = seeds[below(seeds.size())];
  const std::size_t places = 1 + below(8);
  for (std::size_t i = 0; i < places; ++i) alter_bytes(bytes, seeds[below(seeds.size())]);
  return bytes;
}

void Mutator::alter_bytes(std::vector<std::byte>& bytes, const std::vector<std::byte>& other) {
  const std::size_t at = below(bytes.size() + 1);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const std::size_t length = std::min(below(64), bytes.size() - at);
  const auto end = place + static_cast<std::ptrdiff_t>(length);
  switch (below(7)) {
    case 0:
      if (at < bytes.size()) *place = static_cast<std::byte>(below(256));
      break;
    case 1:
      if (at < bytes.size()) *place ^= static_cast<std::byte>(1U << below(8));
      break;
    case 2: {  // little-endian, of 1 to 8 bytes
      const std::uint64_t value = kInsertedLengths[below(std::size(kInsertedLengths))];
      const std::size_t size = std::min<std::size_t>(1 + below(8), bytes.size() - at);
      for (std::size_t i = 0; i < size; ++i)
        bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
      break;
    }
    case 3: {
      const std::string_view word = kInsertedWords[below(std::size(kInsertedWords))];
      const auto* const begin = reinterpret_cast<const std::byte*>(word.data());
      bytes.insert(place, begin, begin + word.size());
      break;
    }
    case 4:
      if (below(4) == 0)
        bytes.resize(at);
      else
        bytes.erase(place, end);
      break;
    case 5: {
      const std::vector<std::byte> copy(place, end);
      bytes.insert(end, copy.begin(), copy.end());
      break;
    }
    default: {
      const std::size_t from = below(other.size() + 1);
      const std::size_t size = std::min(below(64), other.size() - from);
      const std::vector<std::byte> part(other.begin() + static_cast<std::ptrdiff_t>(from),
                                        other.begin() + static_cast<std::ptrdiff_t>(from + size));
      bytes.insert(place, part.begin(), part.end());
    }
  }
}

}  // namespace normproof::tests::fuzz
