#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace normproof::tests::fuzz {

/// Alters files as a fuzzer without feedback does. The same seed gives the same files everywhere.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// One of the seeds with one to eight places altered: a byte, a length, a part removed, repeated
  /// or taken from another seed, the end cut off.
  std::vector<std::byte> next(const std::vector<std::vector<std::byte>>& seeds);

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  void alter(std::vector<std::byte>& bytes, const std::vector<std::byte>& other);

  std::mt19937_64 random_;
};

}  // namespace normproof::tests::fuzz
