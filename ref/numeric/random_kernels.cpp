// This file is compiled once per instruction set, with -DNORMPROOF_ISA=<set> and the compiler flags
// of that set. It must not include a standard header that contains code.
#include "ref/numeric/random_kernels.hpp"

#include "ref/numeric/philox.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {
namespace {

void at_least(const PhiloxStream& stream, std::uint64_t first, std::size_t count,
              std::uint64_t least, bool* y) {
  IntPack index{};
  for (std::size_t l = 0; l < kPackWidth; ++l) index[l] = first + l;
  std::size_t i = 0;
  for (; i + kPackWidth <= count; i += kPackWidth) {
    const IntPack bits = upper_bits(stream, index);
    for (std::size_t l = 0; l < kPackWidth; ++l) y[i + l] = bits[l] >= least;
    index += kPackWidth;
  }
  for (; i < count; ++i) y[i] = upper_bits<Int>(stream, first + i) >= least;
}

}  // namespace
}  // namespace NORMPROOF_ISA

extern const RandomKernels NORMPROOF_JOIN(random_kernels_, NORMPROOF_ISA){.at_least = at_least};

}  // namespace normproof::ref::numeric
