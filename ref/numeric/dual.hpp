#pragma once

#include <cmath>

namespace normproof::ref::numeric {

/// A dual number: value + derivative * epsilon, where epsilon^2 = 0. A forward that is evaluated on
/// dual numbers returns its exact derivative along one direction.
///
/// Source    [GW08], forward mode
/// Error     value and derivative have the errors of the underlying scalar T; there is no step size
///           and no truncation error
///
/// Comparisons use the value only.
template <class T>
class Dual {
 public:
  Dual() = default;
  Dual(double v) : value(v) {}
  Dual(int v) : value(v) {}
  Dual(const T& v) : value(v) {}
  Dual(const T& v, const T& d) : value(v), derivative(d) {}

  Dual& operator+=(const Dual& b) {
    return *this = Dual(value + b.value, derivative + b.derivative);
  }
  Dual& operator-=(const Dual& b) {
    return *this = Dual(value - b.value, derivative - b.derivative);
  }
  Dual& operator*=(const Dual& b) {
    return *this = Dual(value * b.value, derivative * b.value + value * b.derivative);
  }
  Dual& operator/=(const Dual& b) {
    const T quotient = value / b.value;
    return *this = Dual(quotient, (derivative - quotient * b.derivative) / b.value);
  }
  Dual operator-() const { return Dual(-value, -derivative); }
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }

  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  T value{};
  T derivative{};
};

/// Returns the square root. Its derivative is `d / (2 sqrt(v))` for the value v and the derivative
/// d of x. At v = 0, only d = 0 is allowed, and the result's derivative is 0.
template <class T>
Dual<T> sqrt(const Dual<T>& x) {
  using std::sqrt;
  const T root = sqrt(x.value);
  if (x.derivative == T(0)) return Dual<T>(root);
  return Dual<T>(root, x.derivative / (T(2) * root));
}

}  // namespace normproof::ref::numeric
