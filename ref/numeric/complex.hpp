#pragma once

#include <cmath>

namespace normproof::ref::numeric {

/// A complex number re + i im, used to differentiate by the complex step. A forward that is
/// evaluated at x + ih returns `f(x) + i h f'(x) - h^2 f''(x)/2 - ...`. Its imaginary part divided
/// by h is the derivative f'(x), up to a term in h^2. No digits cancel, however small h is, and no
/// differentiation rules are needed.
///
/// Source    [ST98]
/// Error     each part of a sum, product or root has the error of the underlying scalar T
///
/// Comparisons use the real part only. So every branch is taken as for the real argument, and the
/// forward is analytic on that branch.
template <class T>
class Complex {
 public:
  Complex() = default;
  Complex(double real) : re(real) {}
  Complex(int real) : re(real) {}
  Complex(const T& real) : re(real) {}
  Complex(const T& real, const T& imaginary) : re(real), im(imaginary) {}

  Complex& operator+=(const Complex& b) { return *this = Complex(re + b.re, im + b.im); }
  Complex& operator-=(const Complex& b) { return *this = Complex(re - b.re, im - b.im); }
  Complex& operator*=(const Complex& b) {
    return *this = Complex(re * b.re - im * b.im, re * b.im + im * b.re);
  }
  Complex& operator/=(const Complex& b) {
    const T square = b.re * b.re + b.im * b.im;
    return *this = Complex((re * b.re + im * b.im) / square, (im * b.re - re * b.im) / square);
  }
  Complex operator-() const { return Complex(-re, -im); }
  friend Complex operator+(Complex a, const Complex& b) { return a += b; }
  friend Complex operator-(Complex a, const Complex& b) { return a -= b; }
  friend Complex operator*(Complex a, const Complex& b) { return a *= b; }
  friend Complex operator/(Complex a, const Complex& b) { return a /= b; }

  friend bool operator<(const Complex& a, const Complex& b) { return a.re < b.re; }
  friend bool operator>(const Complex& a, const Complex& b) { return a.re > b.re; }
  friend bool operator<=(const Complex& a, const Complex& b) { return a.re <= b.re; }
  friend bool operator>=(const Complex& a, const Complex& b) { return a.re >= b.re; }
  friend bool operator==(const Complex& a, const Complex& b) { return a.re == b.re; }
  friend bool operator!=(const Complex& a, const Complex& b) { return a.re != b.re; }

  T re{};
  T im{};
};

/// Returns the square root of z with positive real part: `p + iq` with `p = sqrt((|z| + re)/2)` and
/// `q = im/(2p)`, where z = re + i im. The root of a real number is real. At 0 the square root has
/// no derivative, so an argument with re = 0 and im != 0 gives no valid derivative.
template <class T>
Complex<T> sqrt(const Complex<T>& z) {
  using std::sqrt;
  if (z.im == T(0)) return Complex<T>(sqrt(z.re));
  const T modulus = sqrt(T(z.re * z.re + z.im * z.im));
  const T p = sqrt(T((modulus + z.re) / T(2)));
  return Complex<T>(p, z.im / (T(2) * p));
}

}  // namespace normproof::ref::numeric
