#pragma once

#include <rapidcheck/seq/Create.h>
#include <rapidcheck/seq/Transform.h>

#include <string>
#include <vector>

#include "verification/claims/property.hpp"

namespace normproof::verification::claims {

/// Draws numbers, one after the other, from one rc::Random: what the generators here are made of.
class Draw {
 public:
  explicit Draw(const rc::Random& random, int size = rc::kNominalSize)
      : random_(random), size_(size) {}

  std::uint64_t bits() { return random_.next(); }
  int size() const { return size_; }  ///< 1 to about 100, growing over the cases
  std::size_t between(std::size_t least, std::size_t most);  ///< both included
  std::size_t sized(std::size_t least, std::size_t most);    ///< the range opens with the size
  bool chance(double probability);
  double uniform(double least = 0, double most = 1);
  double sign() { return chance(0.5) ? 1 : -1; }
  double normal();                    ///< nearly: sum of twelve uniforms, minus 6
  double dyadic();                    ///< a small multiple of 1/4 in [-4, 4]
  double power(int least, int most);  ///< +-m 2^e, m in [1, 2), e in [least, most]

 private:
  rc::Random random_;
  int size_;
};

/// Strictly simpler doubles, simplest first: 0, 1, the absolute value, fewer significant bits, a
/// smaller exponent. Every chain of them ends.
std::vector<double> simpler(double v);

/// A generator from a function that draws a value, and one that lists strictly simpler values
/// (simplest first; every chain must end).
template <class T>
rc::Gen<T> shrinking(std::function<T(Draw&)> draw,
                     std::function<std::vector<T>(const T&)> simplify) {
  return rc::Gen<T>([=](const rc::Random& random, int size) {
    Draw source(random, size);
    return rc::shrinkable::shrinkRecur(draw(source), [simplify](const T& value) {
      return rc::seq::fromContainer(simplify(value));
    });
  });
}

/// One batch for any layer: x [rows,features] with everything that goes with it.
struct Batch {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<double> x, grad_y;    ///< rows * features, row-major
  std::vector<double> gamma, beta;  ///< features, or empty
  std::vector<bool> valid;          ///< rows, or empty: all
  std::vector<double> extra;        ///< further positive numbers, as many as the kind has
  double eps = 0;

  double& x_at(std::size_t i, std::size_t j) { return x[i * features + j]; }
  double x_at(std::size_t i, std::size_t j) const { return x[i * features + j]; }
  double g_at(std::size_t i, std::size_t j) const { return grad_y[i * features + j]; }
  bool is_valid(std::size_t i) const { return valid.empty() || valid[i]; }
  std::size_t valid_rows() const;

  template <class T>
  NormInputs<T> inputs() const;
};

/// What batches() draws.
struct BatchKind {
  std::size_t least_rows = 1, most_rows = 10;
  std::size_t least_features = 1, most_features = 3;
  bool affine = true;        ///< gamma and beta; otherwise none
  bool zero_gamma = true;    ///< gamma may be 0 somewhere
  bool masked = false;       ///< up to 4 rows more, which are padding
  double least_eps = 1e-12;  ///< eps is drawn between these, by exponent; 0, 0: eps = 0
  double most_eps = 1;
  std::size_t extras = 0;  ///< length of Batch::extra; each between 2^-6 and 2^6
  bool degenerate = true;  ///< also constant columns and zero columns
};

/// Batches of many kinds: small integers, normal, offset by up to 2^26 standard deviations,
/// near-equal rows, exponents from -20 to 20, and (degenerate) constant or zero columns. They
/// shrink by dropping rows and features, and element by element to simpler numbers, within the
/// kind.
rc::Gen<Batch> batches(const BatchKind& kind);
/// The same, where `accept` must be true of the batches and of all that they shrink to.
rc::Gen<Batch> batches(const BatchKind& kind, std::function<bool(const Batch&)> accept);

/// "(-1, 0, 1, 0)": shortest decimals that read back; -0 as 0.
std::string show(const std::vector<double>& values);
/// One column, or row, of x or grad_y.
std::vector<double> column(const std::vector<double>& matrix, std::size_t features, std::size_t j);
/// "x = ((1, 2), (2, 3)), grad_y = ..., gamma = ..., eps = 1e-05", only what is there.
std::string show(const Batch& batch);
/// Six significant digits of a wide number.
std::string show(const oracle50& value);

}  // namespace normproof::verification::claims
