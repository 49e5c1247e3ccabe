#include "verification/checks/elementary/tables.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/elementary_tables.hpp"
#include "ref/numeric/hexadecimal.hpp"

namespace normproof::verification::checks::elementary {
namespace {

using namespace ref::numeric;
using Real = oracle100;

void append_pair(std::vector<double>& table, const Real& value) {
  table.push_back(to_double(value));
  table.push_back(to_double(value - table.back()));
}

// Returns the reciprocal of the bin's midpoint, rounded to 9 fractional bits (8 if it is above 1).
double bin_reciprocal(const LogBin& bin) {
  if (bin.first <= 1 && bin.last >= 1 - 0x1p-53) return 1;
  const double c = 2 / (bin.first + bin.last);
  const double scale = c < 1 ? 0x1p9 : 0x1p8;
  return std::nearbyint(c * scale) / scale;
}

// Appends a row to a table: the Taylor coefficients of a function at a point, orders 0 to 9.
void append_row(std::vector<double>& table, const std::vector<Real>& coefficients) {
  append_pair(table, coefficients[0]);
  append_pair(table, coefficients[1]);
  for (std::size_t n = 2; n < 10; ++n) table.push_back(to_double(coefficients[n]));
}

template <class Value>
std::vector<std::uint64_t> to_limbs(Value value) {
  mpfr_t x;
  mpfr_init2(x, 64 * kConstantLimbs + 64);
  value(x);
  std::vector<std::uint64_t> limbs(kConstantLimbs);
  for (std::size_t i = limbs.size(); i-- > 0;) {
    limbs[i] = mpfr_get_ui(x, MPFR_RNDD);
    mpfr_sub_ui(x, x, limbs[i], MPFR_RNDN);
    mpfr_mul_2ui(x, x, 64, MPFR_RNDN);
  }
  mpfr_clear(x);
  return limbs;
}

}  // namespace

std::vector<double> exp_table() {
  std::vector<double> table;
  for (int j = 0; j < kExpRows; ++j) append_pair(table, mp::exp2(Real(j) / kExpRows));
  return table;
}

LogBin log_bin(int row) {
  const auto at = [](std::int64_t bits) { return std::bit_cast<double>(bits); };
  const std::int64_t begin = kLogFirstBinBits + (std::int64_t{row} << 44);
  return {at(begin), at(begin + (std::int64_t{1} << 44) - 1)};
}

std::vector<double> log_table() {
  std::vector<double> table;
  for (int row = 0; row < kLogRows; ++row) {
    const double c = bin_reciprocal(log_bin(row));
    const Real minus_log = c == 1 ? Real(0) : Real(-mp::log(Real(c)));
    const double hi = std::nearbyint(to_double(minus_log) * 0x1p42) * 0x1p-42;
    table.insert(table.end(), {c, hi, to_double(minus_log - hi), 0.0});
  }
  return table;
}

double taylor_center(int row) {
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(1.0) + (std::int64_t{row} << 45)) - 1;
}

// The Taylor coefficients a[n] follow from f' = 1 - f^2: (n + 1) a[n+1] = [n = 0] - sum of a[i]
// a[n-i].
std::vector<double> tanh_table() {
  std::vector<double> table;
  for (int row = 0; row < kTanhRows; ++row) {
    std::vector<Real> a{mp::tanh(Real(taylor_center(row)))};
    for (std::size_t n = 0; n < 9; ++n) {
      Real sum(n == 0 ? 1 : 0);
      for (std::size_t i = 0; i <= n; ++i) sum -= a[i] * a[n - i];
      a.push_back(sum / static_cast<double>(n + 1));
    }
    append_row(table, a);
  }
  return table;
}

// With f' = b and b' = -2 x b, the Taylor coefficients at a point c are a[n+1] = b[n] / (n + 1) and
// (n + 1) b[n+1] = -2 (c b[n] + b[n-1]).
std::vector<double> erf_table() {
  std::vector<double> table;
  Real pi;
  mpfr_const_pi(pi.backend().data(), MPFR_RNDN);
  for (int row = 0; row < kErfRows; ++row) {
    const Real c(taylor_center(row));
    Real erf_c;
    mpfr_erf(erf_c.backend().data(), c.backend().data(), MPFR_RNDN);
    std::vector<Real> a{erf_c}, b{2 * mp::exp(-c * c) / mp::sqrt(pi)};
    for (std::size_t n = 0; n < 9; ++n) {
      const auto next = static_cast<double>(n + 1);
      a.push_back(b[n] / next);
      b.push_back(-2 * (c * b[n] + (n == 0 ? Real(0) : b[n - 1])) / next);
    }
    append_row(table, a);
  }
  return table;
}

std::vector<std::uint64_t> ln2_limbs() {
  return to_limbs([](mpfr_t x) { mpfr_const_log2(x, MPFR_RNDN); });
}

std::vector<std::uint64_t> two_over_root_pi_limbs() {
  return to_limbs([](mpfr_t x) {
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_rec_sqrt(x, x, MPFR_RNDN);
    mpfr_mul_ui(x, x, 2, MPFR_RNDN);
  });
}

std::string format_table(const std::vector<double>& table, int columns) {
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const bool ends = (i + 1) % static_cast<std::size_t>(columns) == 0;
    fmt::format_to(std::back_inserter(text), "{},{}", ref::numeric::hexadecimal(table[i]),
                   ends ? "\n" : " ");
  }
  return text;
}

std::string format_limbs(const std::vector<std::uint64_t>& limbs) {
  std::string text;
  for (const std::uint64_t limb : limbs)
    fmt::format_to(std::back_inserter(text), "{:#018x},\n", limb);
  return text;
}

}  // namespace normproof::verification::checks::elementary
