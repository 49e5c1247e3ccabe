#pragma once

#include <cmath>
#include <vector>

#include "ref/model/operation.hpp"
#include "verification/golden/mutations/mutation.hpp"

/// The options of swiglu and the two layouts of its packed operands, with the errors that can be
/// injected there.
namespace normproof::verification::golden::plain {

/// The options limit, alpha and beta of swiglu. Each function computes one step of the formula for
/// one element.
template <class T>
class PlainSwiglu {
 public:
  using Op = mutations::MutationOperator;

  /// `drops_at_limit` says whether the gradient of an element at the limit itself is 0, too.
  PlainSwiglu(const ref::model::SwigluOptions& options, bool drops_at_limit,
              mutations::Sites& sites)
      : options_(options),
        limit_(static_cast<T>(options.limit.value_or(0))),
        alpha_(static_cast<T>(options.alpha)),
        beta_(static_cast<T>(options.beta)),
        drops_at_limit_(drops_at_limit),
        sites_(sites) {}

  /// Returns min(x, limit).
  T limit_x(T x) {
    if (!options_.limit) return x;
    if (drops_nan(x)) return limit_;
    const Op op = sites_.any("limit of x", {Op::drop, Op::insert});
    if (op == Op::drop) return x;
    return x > limit_ ? limit_ : op == Op::insert && x < -limit_ ? -limit_ : x;
  }

  /// Returns the argument of the sigmoid, alpha c.
  T argument(T c) {
    if (options_.alpha == 1) return c;
    return sites_.any("alpha of the sigmoid", {Op::drop}) == Op::drop ? c : alpha_ * c;
  }

  /// Returns the factor by which an error multiplies the activation and its derivative: alpha, if
  /// silu(alpha c) is computed instead of c sigmoid(alpha c).
  T wrong_scale() {
    if (options_.alpha == 1) return T(1);
    return sites_.any("alpha of the activation", {Op::insert}) == Op::insert ? alpha_ : T(1);
  }

  /// Returns the limited gate plus beta.
  T factor(T gate) {
    const bool late = options_.limit && options_.beta != 0 &&
                      sites_.any("place of the limit of gate", {Op::other}) == Op::other;
    return late ? limit_gate(add_beta(gate)) : add_beta(limit_gate(gate));
  }

  /// Returns the gradient of x, or +0 if x is beyond the limit.
  T keep_gradient_of_x(T x, T gradient) {
    if (!options_.limit) return gradient;
    return is_beyond(x) && !passes("gradient of a limited x") ? T(0) : gradient;
  }

  /// Returns the gradient of the gate, or +0 if the gate is beyond the limit.
  T keep_gradient_of_gate(T gate, T gradient) {
    if (!options_.limit) return gradient;
    const bool beyond = is_beyond(gate < 0 ? -gate : gate);
    return beyond && !passes("gradient of a limited gate") ? T(0) : gradient;
  }

 private:
  bool is_beyond(T v) const { return v > limit_ || (drops_at_limit_ && v == limit_); }
  bool passes(const char* site) { return sites_.any(site, {Op::insert}) == Op::insert; }
  bool drops_nan(T v) {
    const bool is_nan = !(v == v);  // NOLINT(misc-redundant-expression)
    return is_nan && sites_.any("NaN at the limit", {Op::ignore_nan}) == Op::ignore_nan;
  }
  T limit_gate(T gate) {
    if (!options_.limit) return gate;
    if (drops_nan(gate)) return limit_;
    const Op op = sites_.any("limit of gate", {Op::drop, Op::clip});
    if (op == Op::drop) return gate;
    return gate > limit_ ? limit_ : op != Op::clip && gate < -limit_ ? -limit_ : gate;
  }
  T add_beta(T gate) {
    if (options_.beta == 0) return gate;
    return gate + sites_.term("beta of the gate", beta_);
  }

  ref::model::SwigluOptions options_;
  T limit_, alpha_, beta_;
  bool drops_at_limit_;
  mutations::Sites& sites_;
};

/// A wrong reading of x and gate as one packed tensor.
enum class PackedReading {
  right,
  halves_as_pairs,  ///< [x, gate] is read as if x and gate were its even and odd columns
  pairs_as_halves   ///< x and gate are the even and odd columns, and are read as halves
};

/// Exchanges the elements of x and gate as a wrong reading of packed rows does, or, if `back` is
/// true, as the wrong writing of packed gradients does.
template <class T>
void misread_packed(PackedReading reading, std::size_t width, bool back, std::vector<T>& x,
                    std::vector<T>& gate) {
  if (reading == PackedReading::right) return;
  const bool as_pairs = (reading == PackedReading::halves_as_pairs) != back;
  for (std::size_t first = 0; first < x.size(); first += width) {
    std::vector<T> packed(2 * width);
    for (std::size_t i = 0; i < width; ++i) {
      packed[as_pairs ? i : 2 * i] = x[first + i];
      packed[as_pairs ? width + i : 2 * i + 1] = gate[first + i];
    }
    for (std::size_t i = 0; i < width; ++i) {
      x[first + i] = packed[as_pairs ? 2 * i : i];
      gate[first + i] = packed[as_pairs ? 2 * i + 1 : width + i];
    }
  }
}

}  // namespace normproof::verification::golden::plain
