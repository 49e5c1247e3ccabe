// Compiled once for each instruction set, with -DNORMPROOF_ISA=<set> and that set's flags; includes
// nothing of the standard library that has code.
#include "ref/numeric/elementary_kernels.hpp"

#include "ref/numeric/elementary_accurate.hpp"
#include "ref/numeric/elementary_fast.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {
namespace {

constexpr Int kSignBit = 1ULL << 63;

// A function is: try_fast, which says on which lanes the result is decided, and the accurate phase,
// which takes every argument.
template <class Fast, double (*accurate_phase)(double)>
struct OnItsDomain {
  static double accurate(double x) { return accurate_phase(x); }

  template <class V>
  [[gnu::always_inline]] static Integers<V> try_fast(V x, V* y) {
    return Fast::domain(x) & round_if_decided<Fast>(Fast::evaluate(x), y);
  }
  static void fast(double x, double* hi, double* lo) {
    const Sum<double> sum = Fast::evaluate(x);
    *hi = sum.hi;
    *lo = sum.lo;
  }
};

// An odd function that rounds to 1 from `last` on: there the row of `last` gives 1.
template <const double* table, int last, double (*accurate_phase)(double)>
struct Odd {
  using Fast = TaylorFast<table>;
  static double accurate(double x) { return accurate_phase(x); }

  template <class V>
  [[gnu::always_inline]] static Integers<V> try_fast(V x, V* y) {
    const Integers<V> sign = to_bits(x) & kSignBit;
    const V magnitude = from_bits(to_bits(x) ^ sign);
    const V limited = smaller(magnitude, constant<V>(last));
    // Below 2^-900 a product would lose bits.
    const Integers<V> domain = at_most(constant<V>(0x1p-900), magnitude);
    const Integers<V> decided = round_if_decided<Fast>(Fast::evaluate(limited), y);
    *y = from_bits(to_bits(*y) | sign);
    return domain & decided;
  }
  static void fast(double x, double* hi, double* lo) {
    const Sum<double> sum = Fast::evaluate(x);
    *hi = sum.hi;
    *lo = sum.lo;
  }
};

template <class F>
double of(double x) {
  double y;
  return all(F::try_fast(x, &y)) ? y : F::accurate(x);
}

template <class F>
[[gnu::always_inline]] inline Pack of_pack(Pack x) {
  Pack y;
  const IntPack decided = F::try_fast(x, &y);
  if (!all(decided)) [[unlikely]] {
    for (std::size_t l = 0; l < kPackWidth; ++l) {
      if (decided[l] == 0) y[l] = F::accurate(x[l]);
    }
  }
  return y;
}

// y[i] = F(before(x[i]))
template <class F, class Before>
[[gnu::always_inline]] inline void of_each_after(Before before, const double* x, std::size_t count,
                                                 double* y) {
  std::size_t i = 0;
  for (; i + kPackWidth <= count; i += kPackWidth) store(y + i, of_pack<F>(before(PackAt{i}(x))));
  for (; i < count; ++i) y[i] = of<F>(before(x[i]));
}

template <class F>
void of_each(const double* x, std::size_t count, double* y) {
  of_each_after<F>([](auto v) { return v; }, x, count, y);
}

using Exp = OnItsDomain<ExpFast, exp_accurate>;

void exp_of_difference(const double* x, double m, std::size_t count, double* y) {
  of_each_after<Exp>([m](auto v) { return v - constant<decltype(v)>(m); }, x, count, y);
}

template <class F>
constexpr ElementaryKernels::Function function = {of<F>, of_each<F>, F::fast};

}  // namespace
}  // namespace NORMPROOF_ISA

extern const ElementaryKernels NORMPROOF_JOIN(elementary_kernels_, NORMPROOF_ISA){
    .exp = function<Exp>,
    .log = function<OnItsDomain<LogFast, log_accurate>>,
    .tanh = function<Odd<kTanhTable, 20, tanh_accurate>>,
    .erf = function<Odd<kErfTable, 6, erf_accurate>>,
    .exp_of_difference = exp_of_difference};

}  // namespace normproof::ref::numeric
