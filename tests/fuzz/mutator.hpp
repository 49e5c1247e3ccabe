#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace normproof::tests::fuzz {

/// Alters files like a fuzzer without feedback. The same seed gives the same files on every
/// machine.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// Returns one of the seeds with one to eight alterations: a byte or a length changed, a part
  /// removed, repeated or taken from another seed, the end cut off.
  std::vector<std::byte> next(const std::vector<std::vector<std::byte>>& seeds);

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  void alter_bytes(std::vector<std::byte>& bytes, const std::vector<std::byte>& other);

  std::mt19937_64 random_;
};

}  // namespace normproof::tests::fuzz
