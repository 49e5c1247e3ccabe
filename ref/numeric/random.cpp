#include "ref/numeric/random.hpp"

#include <Random123/philox.h>

#include <cmath>

#include "ref/numeric/assumptions.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/philox_stream.hpp"
#include "ref/numeric/random_kernels.hpp"

namespace normproof::ref::numeric {
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

constexpr std::uint32_t low_word(std::uint64_t v) {
  return static_cast<std::uint32_t>(v);
}
constexpr std::uint32_t high_word(std::uint64_t v) {
  return static_cast<std::uint32_t>(v >> 32);
}
constexpr std::uint64_t join_words(std::uint32_t lo, std::uint32_t hi) {
  return static_cast<std::uint64_t>(hi) << 32 | lo;
}

double to_unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

const RandomKernels& random_kernels() {
#if defined(__x86_64__)
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return random_kernels_avx512;
    case InstructionSet::avx2:
      return random_kernels_avx2;
    case InstructionSet::baseline:
      break;
  }
#endif
  return random_kernels_baseline;
}

/// Returns the 128 bits that Philox computes from the counter (index, stream, block).
r123::Philox4x32::ctr_type philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t index,
                                  std::uint32_t block) {
  const r123::Philox4x32::ctr_type counter = {
      {low_word(index), high_word(index), low_word(stream), block}};
  const r123::Philox4x32::key_type key = {{low_word(seed), high_word(seed) ^ high_word(stream)}};
  return r123::Philox4x32{}(counter, key);
}

PhiloxStream make_philox_stream(std::uint64_t seed, std::uint64_t stream) {
  return {{low_word(seed), high_word(seed) ^ high_word(stream)}, low_word(stream)};
}

}  // namespace

PhiloxStream philox_stream(std::uint64_t seed, std::string_view stream) {
  return make_philox_stream(seed, fnv1a(stream));
}

std::uint64_t min_upper_bits(double least) {
  // n 2^-53 >= least if and only if n >= ceil(least 2^53). Both products are exact.
  return static_cast<std::uint64_t>(std::ceil(least * 0x1p53));
}

/// The uniform random numbers of one element, in the order in which they are drawn.
class RandomStream::UniformDraws {
 public:
  UniformDraws(const RandomStream& stream, std::uint64_t index) : stream_(stream), index_(index) {}

  double next() {
    if (used_ == kBatchSize) draw();
    return to_unit_interval(drawn_[used_++]);
  }

  /// Returns true with probability exp(-1/2). It draws uniform numbers until it draws one that is
  /// not smaller than the number before it (1/2 for the first). It returns whether the count of the
  /// earlier numbers is even.
  bool accept_with_probability_exp_minus_half() {
    double last = 0.5;
    for (bool even = true;; even = !even) {
      const double u = next();
      if (!(u < last)) return even;
      last = u;
    }
  }

  /// Returns true with probability exp(-x (2k + x) / (2k + 2)), as Algorithm N requires.
  bool accept_with_probability_exp_minus(double k, double x) {
    const double threshold = (2 * k + x) / (2 * k + 2);
    double last = x;
    for (bool even = true;; even = !even) {
      const double u = next();
      if (!(u < last)) return even;
      if (!(next() < threshold)) return even;
      last = u;
    }
  }

 private:
  /// The number of uniform numbers that are drawn together. They come from four independent blocks,
  /// and a normal number needs four or more of them.
  static constexpr std::size_t kBatchSize = 8;

  void draw() {
    for (std::size_t i = 0; i < kBatchSize; i += 2) {
      const auto words = philox(stream_.seed_, stream_.stream_, index_, block_++);
      drawn_[i] = join_words(words[0], words[1]);
      drawn_[i + 1] = join_words(words[2], words[3]);
    }
    used_ = 0;
  }

  const RandomStream& stream_;
  std::uint64_t index_;
  std::uint32_t block_ = 0;
  std::size_t used_ = kBatchSize;
  std::uint64_t drawn_[kBatchSize] = {};
};

RandomStream::RandomStream(std::uint64_t seed, std::string_view stream)
    : seed_(seed), stream_(fnv1a(stream)) {}

std::uint64_t RandomStream::bits(std::uint64_t index) const {
  const auto words = philox(seed_, stream_, index, 0);
  return join_words(words[0], words[1]);
}

double RandomStream::uniform(std::uint64_t index) const {
  return to_unit_interval(bits(index));
}

void RandomStream::at_least(double least, std::uint64_t first, std::size_t count, bool* y) const {
  random_kernels().at_least(make_philox_stream(seed_, stream_), first, count, min_upper_bits(least),
                            y);
}

double RandomStream::normal(std::uint64_t index) const {
  UniformDraws draws(*this, index);
  while (true) {
    int k = 0;
    while (draws.accept_with_probability_exp_minus_half()) ++k;
    bool accepted = true;
    for (int i = 0; accepted && i < k * (k - 1); ++i)
      accepted = draws.accept_with_probability_exp_minus_half();
    if (!accepted) continue;
    const double x = draws.next();
    for (int i = 0; accepted && i < k + 1; ++i)
      accepted = draws.accept_with_probability_exp_minus(k, x);
    if (!accepted) continue;
    const double magnitude = k + x;
    return draws.next() < 0.5 ? -magnitude : magnitude;
  }
}

std::uint64_t RandomStream::below(std::uint64_t index, std::uint64_t count) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(bits(index)) * count >> 64);
}

}  // namespace normproof::ref::numeric
