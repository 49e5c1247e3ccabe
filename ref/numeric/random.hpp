#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normproof::ref::numeric {

/// A stream of random numbers that are computed from a counter. A number depends only on the seed,
/// the name of the stream and the index of the element. It does not depend on the order of calls
/// (docs/specification/determinism.md, rule R6).
///
/// Source    Philox4x32-10 [SMDS11]; the number of a stream is the 64-bit FNV-1a hash of its name;
///           normal uses Algorithm N of [Kar16], which only compares uniform numbers and so needs
///           no libm
/// Example   RandomStream stream(42, "embedding");
///           stream.bits(0)        == 0x01393fde411d92bc
///           stream.bits(1)        == 0xa0559272dc13e37c
///           stream.uniform(1)     == 0x1.40ab24e5b827cp-1   (0.62630572609130253)
///           stream.normal(0)      == -0x1.b9d1e95ece8d2p-2  (-0.43146481171755824)
///           stream.normal(1)      == 0x1.3940566d486aep+0   (1.2236379639438542)
///           stream.below(1, 1000) == 626
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view stream);

  /// Returns 64 independent random bits for the element with this index.
  std::uint64_t bits(std::uint64_t index) const;

  /// Returns a uniformly distributed multiple of 2^-53 in [0, 1): the upper 53 bits of bits(index),
  /// times 2^-53.
  double uniform(std::uint64_t index) const;

  /// Sets y[i] to true if uniform(first + i) >= least, otherwise to false, for i < count.
  /// Requires  (C1) 0 <= least <= 1
  void at_least(double least, std::uint64_t first, std::size_t count, bool* y) const;

  /// Returns a random number with the standard normal distribution. It has the form sign * (k + x),
  /// where x is a multiple of 2^-53 in [0, 1) and k is a small integer.
  double normal(std::uint64_t index) const;

  /// Returns a uniformly distributed integer in {0, ..., count - 1}: bits(index) * count / 2^64,
  /// rounded down. The bias is below count * 2^-64.
  std::uint64_t below(std::uint64_t index, std::uint64_t count) const;

 private:
  class UniformDraws;
  std::uint64_t seed_;
  std::uint64_t stream_;
};

}  // namespace normproof::ref::numeric
