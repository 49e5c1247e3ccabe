#include "verification/checks/elementary/functions.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "ref/numeric/elementary_accurate.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/elementary_fast.hpp"
#include "ref/numeric/random.hpp"
#include "ref/numeric/square_root.hpp"
#include "verification/checks/elementary/exponent_range.hpp"

namespace normproof::verification::checks::elementary {
namespace {

namespace numeric = ref::numeric;
using numeric::ElementaryKernels;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

void square_roots(const double* x, std::size_t count, double* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = numeric::square_root(x[i]);
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"exp",
       numeric::exp,
       numeric::exp,
       numeric::exp_accurate,
       &ElementaryKernels::exp,
       mpfr_exp,
       -708,
       708,
       numeric::kExpError,
       {0.0, -0.0, 1.0, 0x1p-54, -0x1p-54, 0x1p-53, -0x1p-53, 708.0, -708.0, 709.782712893384,
        -708.3964185322641, -745.1332191019412, 710.0, -746.0, kInf, -kInf, kLeast, kLargest}},
      {"log",
       numeric::log,
       numeric::log,
       numeric::log_accurate,
       &ElementaryKernels::log,
       mpfr_log,
       0.25,
       4,
       numeric::kLogError,
       {0.0, -0.0, 1.0, -1.0, 0.70703125, 1.4140625, kInf, -kInf, kLeast, 0x1p-1022, kLargest}},
      {"tanh",
       numeric::tanh,
       numeric::tanh,
       numeric::tanh_accurate,
       &ElementaryKernels::tanh,
       mpfr_tanh,
       -20,
       20,
       numeric::kTaylorError,
       {0.0, -0.0, 0x1p-28, 0x1p-27, 0x1p-26, 19.061547465398498, 20.0, kInf, -kInf, kLeast,
        0x1p-1022, 0x1p-900, kLargest}},
      {"erf",
       numeric::erf,
       numeric::erf,
       numeric::erf_accurate,
       &ElementaryKernels::erf,
       mpfr_erf,
       -6,
       6,
       numeric::kTaylorError,
       {0.0, -0.0, 5.921587195794508, 6.0, kInf, -kInf, kLeast, 0x1p-1022, 0x1.c5bf891b4ef6ap-1023,
        0x1p-900, kLargest}},
      {"sqrt",
       numeric::square_root,
       square_roots,
       nullptr,
       nullptr,
       mpfr_sqrt,
       0,
       4,
       0,
       {0.0, -0.0, 1.0, kInf, -kInf, kLeast, 0x1p-1022, kLargest}}};
  return all;
}

double nearest(const Function& f, double x) {
  const ExponentRange range(-1073, 1024);
  mpfr_t y;
  mpfr_init2(y, 53);
  mpfr_set_d(y, x, MPFR_RNDN);
  int inexact = f.mpfr(y, y, MPFR_RNDN);
  inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
  mpfr_subnormalize(y, inexact, MPFR_RNDN);
  const double result = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(y);
  return result;
}

double argument(const Function& f, std::uint64_t seed, std::uint64_t index) {
  const numeric::RandomStream stream(seed, "elementary " + f.name);
  const std::uint64_t i = 4 * (index / 4);
  const std::uint64_t bits = stream.bits(i);
  const double u = stream.uniform(i + 1);
  switch (index % 4) {
    case 0:
      return std::bit_cast<double>(bits);
    case 1:
      return f.begin + (f.end - f.begin) * u;
    case 2: {
      const double x =
          std::ldexp((bits >> 63) != 0 ? 1 + u : -1 - u, static_cast<int>(bits % 71) - 60);
      if (f.name != "log") return x;
      return std::fabs(x) < 0.5 ? 1 + x : std::fabs(x);
    }
    default: {
      const double edge = f.edges[bits % f.edges.size()];
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(edge) + stream.below(i + 2, 8193) -
                                   4096);
    }
  }
}

bool is_same_value(double a, double b) {
  return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool is_in_fast_domain(const Function& f, double x) {
  const double t = std::fabs(x);
  if (f.kernel == nullptr) return false;
  if (f.name == "exp") return t <= 708;
  if (f.name == "log") return x >= 0x1p-1022 && x < kInf;
  return t >= 0x1p-900 && t <= f.end;
}

double fast_error(const Function& f, double x) {
  const ExponentRange range(-4000, 4000);
  const double t = f.name == "tanh" || f.name == "erf" ? std::fabs(x) : x;
  double hi, lo;
  (numeric::elementary_kernels().*f.kernel).fast(t, &hi, &lo);
  mpfr_t exact, got;
  mpfr_inits2(250, exact, got, nullptr);
  mpfr_set_d(exact, t, MPFR_RNDN);
  f.mpfr(exact, exact, MPFR_RNDN);
  mpfr_set_d(got, hi, MPFR_RNDN);
  mpfr_add_d(got, got, lo, MPFR_RNDN);
  double error = 0;
  if (!mpfr_zero_p(exact) || !mpfr_zero_p(got)) {
    mpfr_div(got, got, exact, MPFR_RNDN);
    if (f.name == "exp") {  // hi + lo lacks a factor that is a power of two
      mpfr_log2(exact, got, MPFR_RNDN);
      mpfr_rint(exact, exact, MPFR_RNDN);
      mpfr_div_2si(got, got, mpfr_get_si(exact, MPFR_RNDN), MPFR_RNDN);
    }
    mpfr_sub_ui(got, got, 1, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(got, MPFR_RNDU));
  }
  mpfr_clears(exact, got, nullptr);
  return error;
}

}  // namespace normproof::verification::checks::elementary
