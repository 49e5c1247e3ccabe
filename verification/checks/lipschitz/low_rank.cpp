#include "verification/checks/lipschitz/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::lipschitz {

using ref::numeric::ball;

namespace {

using Vector = std::vector<double>;

/// A symmetric 2 x 2 matrix.
template <class T>
struct Symmetric2x2 {
  T a, b, d;  // [[a, b], [b, d]]

  T determinant() const { return a * d - b * b; }
};

/// Returns the 2 x 2 matrix I + [u v]^T diag(1 / shifted) [u v] for the vectors u, v and `shifted`.
template <class T>
Symmetric2x2<T> capacitance_matrix(const std::vector<T>& shifted, const std::vector<T>& u,
                                   const std::vector<T>& v) {
  Symmetric2x2<T> s{T(1), T(0), T(1)};
  for (std::size_t i = 0; i < shifted.size(); ++i) {
    const T ui = u[i] / shifted[i], vi = v[i] / shifted[i];
    s.a += u[i] * ui;
    s.b += u[i] * vi;
    s.d += v[i] * vi;
  }
  return s;
}

/// Returns the number of negative eigenvalues of a symmetric 2 x 2 matrix. Returns -1 if this
/// number is uncertain or if an eigenvalue is 0.
template <class T>
int count_negative_eigenvalues(const Symmetric2x2<T>& s) {
  const T determinant = s.determinant(), trace = s.a + s.d;
  if (determinant < T(0)) return 1;
  if (!(determinant > T(0))) return -1;
  if (trace > T(0)) return 0;
  return trace < T(0) ? 2 : -1;
}

template <class T>
bool exceeds_all_eigenvalues(const std::vector<T>& diagonal, const std::vector<T>& u,
                             const std::vector<T>& v, const T& lambda) {
  int negative = 0;
  std::vector<T> shifted;
  shifted.reserve(diagonal.size());
  for (const T& d : diagonal) {
    shifted.push_back(lambda - d);
    if (shifted.back() < T(0))
      ++negative;
    else if (!(shifted.back() > T(0)))
      return false;
    if (negative > 2) return false;  // two terms raise at most two eigenvalues
  }
  return negative == count_negative_eigenvalues(capacitance_matrix(shifted, u, v));
}

Vector midpoints(const std::vector<ball>& balls) {
  Vector result;
  for (const ball& b : balls) result.push_back(b.midpoint());
  return result;
}

double scale_to_max_one(Vector& x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::fabs(value));
  for (double& value : x) value /= largest;
  return largest;
}

/// The matrix A in `double`. It is used to guess eigenvalues and eigenvectors. The guesses need no
/// proof.
struct DoubleMatrix {
  Vector diagonal, u, v;

  /// Returns the largest eigenvalue. It is between the largest and the third largest element of the
  /// diagonal.
  double eigenvalue() const {
    Vector sorted = diagonal;
    std::ranges::sort(sorted, std::ranges::greater{});
    double high = sorted[0], low = sorted.size() > 2 ? sorted[2] : 0;
    for (int step = 0; step < 64 && high - low > 0x1p-52 * high; ++step) {
      const double middle = low + (high - low) / 2;
      (exceeds_all_eigenvalues(diagonal, u, v, middle) ? high : low) = middle;
    }
    return high;
  }

  /// Returns (A - sigma I)^-1 x, up to its sign.
  Vector solve(double sigma, const Vector& x) const {
    Vector shifted, y;
    for (const double d : diagonal) shifted.push_back(sigma - d);
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[i] / shifted[i]);
    const Symmetric2x2<double> s = capacitance_matrix(shifted, u, v);
    double p = 0, q = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      p += u[i] * y[i];
      q += v[i] * y[i];
    }
    const double determinant = s.determinant();
    const double a = (s.d * p - s.b * q) / determinant, b = (s.a * q - s.b * p) / determinant;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] -= (a * u[i] + b * v[i]) / shifted[i];
    return y;
  }

  /// Returns an approximate eigenvector by inverse iteration. The iteration starts from a vector
  /// without special structure.
  Vector eigenvector(double eigenvalue) const {
    Vector x;
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      x.push_back(1 + 0.5 * static_cast<double>((i * 7919 + 13) % 101) / 101);
    for (int step = 0; step < 4; ++step) {
      Vector next = solve(eigenvalue * (1 + 0x1p-36), x);
      const double largest = scale_to_max_one(next);
      if (!(largest > 0 && std::isfinite(largest))) break;
      x = std::move(next);
    }
    return x;
  }
};

/// Returns the Rayleigh quotient x^T A x / x^T x.
ball rayleigh_quotient(const DiagonalMinusRankTwo& a, const Vector& x) {
  ball square(0), sum(0), pu(0), pv(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ball xi(x[i]);
    const ball xi2 = xi * xi;
    square += xi2;
    sum += xi2 * a.diagonal[i];
    pu += xi * a.u[i];
    pv += xi * a.v[i];
  }
  return (sum - pu * pu - pv * pv) / square;
}

}  // namespace

bool is_above_all_eigenvalues(const DiagonalMinusRankTwo& a, const ball& lambda) {
  return exceeds_all_eigenvalues(a.diagonal, a.u, a.v, lambda);
}

TopEigenvalue top_eigenvalue(const DiagonalMinusRankTwo& a) {
  if (a.diagonal.empty())
    ref::numeric::contract_failure("top_eigenvalue", "a", "has no rows", "1 or more",
                                   ref::numeric::Clause::C1);
  const auto largest =
      std::ranges::max_element(a.diagonal, {}, [](const ball& d) { return d.upper(); });
  const double most = largest->upper();  // u u^T + v v^T only reduces eigenvalues
  const DoubleMatrix guess{midpoints(a.diagonal), midpoints(a.u), midpoints(a.v)};
  if (!(most > 0)) return {ball(0), Vector(guess.diagonal.size(), 1)};
  Vector vector = guess.eigenvector(guess.eigenvalue());
  const double least = std::max(0.0, rayleigh_quotient(a, vector).lower());
  for (const double room : {0x1p-40, 0x1p-20}) {
    const double lambda = least * (1 + room);
    if (lambda < most && is_above_all_eigenvalues(a, ball(lambda)))
      return {ball(lambda), std::move(vector)};
  }
  double low = least, high = most;
  for (int step = 0; step < 100 && high - low > 0x1p-40 * high; ++step) {
    const double middle = low + (high - low) / 2;
    (is_above_all_eigenvalues(a, ball(middle)) ? high : low) = middle;
  }
  return {ball(high), std::move(vector)};
}

}  // namespace normproof::verification::checks::lipschitz
