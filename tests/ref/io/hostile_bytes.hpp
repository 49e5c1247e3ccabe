#pragma once

// gtest/gtest.h must be included before this header.
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::tests::ref::io {

using Bytes = std::vector<std::byte>;
using Tensors = std::vector<normproof::ref::io::StoredTensor>;

/// Decodes bytes that may be invalid. Returns the tensors, or nullopt if `decode` throws a
/// FileError. Any other exception fails the test.
template <typename Decode>
std::optional<Tensors> try_decode(Decode decode, std::span<const std::byte> bytes) {
  try {
    return decode(bytes);
  } catch (const normproof::ref::numeric::FileError&) {
    return std::nullopt;
  }
}

/// Returns the bytes of a valid file after 1 to 7 random changes. A change alters one byte, removes
/// or repeats a range of bytes, or cuts off the end.
inline Bytes make_randomly_damaged_copy(const Bytes& valid) {
  Bytes bytes = valid;
  const int steps = *rc::gen::inRange(1, 8);
  for (int step = 0; step < steps && !bytes.empty(); ++step) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto length = *rc::gen::inRange<std::size_t>(1, 1 + (bytes.size() - at));
    const auto end = begin + static_cast<std::ptrdiff_t>(length);
    switch (*rc::gen::weightedElement<int>({{6, 0}, {2, 1}, {1, 2}, {1, 3}})) {
      case 0:
        *begin = *rc::gen::map(rc::gen::inRange(0, 256), [](int b) { return std::byte(b); });
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.erase(begin, end);
        break;
      default: {
        const Bytes copy(begin, end);
        bytes.insert(begin, copy.begin(), copy.end());
      }
    }
  }
  return bytes;
}

/// Calls `use(bytes, position)` with every proper prefix of `valid`. Then changes each byte of
/// `valid` in four ways, one change at a time, and calls `use` with each result.
template <typename Use>
void for_each_damaged_file(const Bytes& valid, Use use) {
  for (std::size_t size = 0; size < valid.size(); ++size) {
    use(Bytes(valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(size)), size);
  }
  for (std::size_t at = 0; at < valid.size(); ++at) {
    for (const int pattern : {0x01, 0x20, 0x80, 0xff}) {
      Bytes bytes = valid;
      bytes[at] ^= std::byte(pattern);
      use(bytes, at);
    }
  }
}

}  // namespace normproof::tests::ref::io
