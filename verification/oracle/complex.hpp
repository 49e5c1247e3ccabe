#pragma once

#include "ref/numeric/real.hpp"

namespace normproof::verification::oracle {

using ref::numeric::oracle100;

/// A complex number of 100 digits, for the complex-step method: f(x + ih) = f(x) + ih f'(x) - ...,
/// so the imaginary part over h is the derivative up to h^2, with no difference of near-equal
/// numbers, however small h is.
/// Source    [ST98]
struct Complex {
  Complex() = default;
  Complex(const oracle100& real) : re(real) {}
  Complex(const oracle100& real, const oracle100& imaginary) : re(real), im(imaginary) {}

  oracle100 re = 0;
  oracle100 im = 0;
};

inline Complex operator+(const Complex& a, const Complex& b) {
  return {a.re + b.re, a.im + b.im};
}
inline Complex operator-(const Complex& a, const Complex& b) {
  return {a.re - b.re, a.im - b.im};
}
inline Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex operator/(const Complex& a, const Complex& b) {
  const oracle100 norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}

/// The principal root of z with positive real part: (p + iq)^2 = z for p = sqrt((|z| + re)/2), q =
/// im/(2p).
inline Complex root(const Complex& z) {
  const oracle100 modulus = sqrt(oracle100(z.re * z.re + z.im * z.im));
  const oracle100 p = sqrt(oracle100((modulus + z.re) / 2));
  return {p, z.im / (2 * p)};
}

}  // namespace normproof::verification::oracle
