// This file is compiled once per instruction set, with -DNORMPROOF_ISA=<set> and the compiler flags
// of that set. It must not include a standard header that contains code.
#include "ref/numeric/elementary_kernels.hpp"

#include "ref/numeric/elementary_rounded.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {
namespace {

template <class F>
[[gnu::always_inline]] inline Pack apply_to_pack(Pack x) {
  Pack y;
  const IntPack decided = F::try_fast(x, &y);
  if (!all(decided)) [[unlikely]] {
    for (std::size_t l = 0; l < kPackWidth; ++l) {
      if (decided[l] == 0) y[l] = F::accurate(x[l]);
    }
  }
  return y;
}

// Computes y[i] = F(before(x[i])) for i < count.
template <class F, class Before>
[[gnu::always_inline]] inline void apply_each_after(Before before, const double* x,
                                                    std::size_t count, double* y) {
  std::size_t i = 0;
  for (; i + kPackWidth <= count; i += kPackWidth)
    store(y + i, apply_to_pack<F>(before(PackPosition{i}(x))));
  for (; i < count; ++i) y[i] = evaluate_rounded<F>(before(x[i]));
}

template <class F>
void apply_each(const double* x, std::size_t count, double* y) {
  apply_each_after<F>([](auto v) { return v; }, x, count, y);
}

void exp_of_difference(const double* x, double m, std::size_t count, double* y) {
  apply_each_after<Exp>([m](auto v) { return v - constant<decltype(v)>(m); }, x, count, y);
}

template <class F>
constexpr ElementaryKernels::Function function = {evaluate_rounded<F>, apply_each<F>, F::fast};

}  // namespace
}  // namespace NORMPROOF_ISA

extern const ElementaryKernels NORMPROOF_JOIN(elementary_kernels_, NORMPROOF_ISA){
    .exp = function<Exp>,
    .log = function<Log>,
    .tanh = function<Tanh>,
    .erf = function<Erf>,
    .exp_of_difference = exp_of_difference};

}  // namespace normproof::ref::numeric
