#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "ref/numeric/power_of_two.hpp"
#include "verification/golden/mutations/mutation.hpp"
#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// The sums, quotients and roots of one implementation, according to its style and its mutation.
template <class T>
class PlainArithmetic {
 public:
  /// `shows_single_terms` says whether the outputs are precise enough to reveal a missing last term
  /// in a sum of a thousand terms, or a change of eps that is far below the statistic.
  PlainArithmetic(const Style& style, Sites& sites, bool shows_single_terms = true)
      : style_(style), sites_(sites), shows_single_terms_(shows_single_terms) {}

  Sites& sites() { return sites_; }
  const Style& style() const { return style_; }
  bool shows_single_terms() const { return shows_single_terms_; }

  /// Returns the sum of f(i) over the indices. The errors of blocks are offered before those of
  /// single terms: if both lose the same terms, the name of the block says where to look.
  template <class F>
  T sum(const char* site, const std::vector<std::size_t>& indices, F f) {
    mutations::OfferedOperators offered = {};
    if (is_truncation_visible(1024, indices.size()))
      offered.push_back(MutationOperator::first_1024);
    if (is_truncation_visible(256, indices.size())) offered.push_back(MutationOperator::first_256);
    const std::size_t in_blocks = indices.size() / 32 * 32;
    if (in_blocks > 0 && in_blocks < indices.size())
      offered.push_back(MutationOperator::forget_remainder);
    // The last whole block may be the first or the second one. An implementation that loses the
    // second one loses it in longer rows too, where it is not the last.
    if (in_blocks > 0 && indices.size() > 32)
      offered.push_back(MutationOperator::forget_first_block);
    if (in_blocks > 32) offered.push_back(MutationOperator::forget_second_block);
    if (in_blocks > 0) offered.push_back(MutationOperator::forget_block);
    for (const MutationOperator op : {MutationOperator::forget_last, MutationOperator::forget_first,
                                      MutationOperator::bfloat16_sum})
      offered.push_back(op);
    const MutationOperator op = sites_.any(site, offered.span());
    sites_.spend(indices.size());
    std::vector<T> terms;
    terms.reserve(indices.size());
    for (const std::size_t i : indices) terms.push_back(f(i));
    if (op == MutationOperator::forget_last && !terms.empty()) terms.pop_back();
    if (op == MutationOperator::forget_first && !terms.empty()) terms.erase(terms.begin());
    if (op == MutationOperator::forget_remainder) terms.resize(in_blocks);
    if (op == MutationOperator::forget_block) erase_block(terms, in_blocks - 32);
    if (op == MutationOperator::forget_first_block) erase_block(terms, 0);
    if (op == MutationOperator::forget_second_block) erase_block(terms, 32);
    if (op == MutationOperator::first_256) terms.resize(256);
    if (op == MutationOperator::first_1024) terms.resize(1024);
    if (op != MutationOperator::bfloat16_sum) return add(terms);
    T total = 0;
    for (const T term : terms) total = Sites::rounded_to<8>(total + term);
    return total;
  }

  T over(T value, T n) const {
    const T quotient = style_.reciprocal ? value * (1 / n) : value / n;
    if constexpr (std::is_floating_point_v<T>) {
      if (ref::numeric::is_power_of_two(n)) return quotient;  // exact on any hardware
    }
    return add_quotient_error(quotient);
  }

  /// Returns `value`, a quotient or a reciprocal root, with an added error of Style::units ulps,
  /// because some hardware computes it with such an error.
  T add_quotient_error(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T kUnitRoundoff = std::numeric_limits<T>::epsilon() / 2;
      // This product rounds once more. Together with the 3 half units, the error is at most 2
      // units.
      return style_.units == 0 ? value
                               : value * (1 + static_cast<T>(style_.units) * 3 / 2 * kUnitRoundoff);
    } else {
      return value;
    }
  }

  /// Returns `a b + c`, with a fused multiply-add if the style has it.
  T multiply_add(T a, T b, T c) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (style_.fused) return std::fma(a, b, c);
    }
    return a * b + c;
  }

  /// Returns `1 / sqrt(statistic + eps)`, unless an error is injected.
  T rstd(T statistic, T eps) { return add_quotient_error(exact_rstd(statistic, eps)); }

 private:
  /// Removes a block of 32 terms.
  static void erase_block(std::vector<T>& terms, std::size_t begin) {
    const auto first = terms.begin() + static_cast<std::ptrdiff_t>(begin);
    terms.erase(first, first + 32);
  }

  /// Whether the sum of `count` terms changes visibly if only its first `block` terms are added.
  bool is_truncation_visible(std::size_t block, std::size_t count) const {
    return count > block && (shows_single_terms_ || (count - block) * 64 >= count);
  }

  T exact_rstd(T statistic, T eps) {
    using std::sqrt;
    mutations::OfferedOperators offered = {MutationOperator::drop,
                                           MutationOperator::ten_times,
                                           MutationOperator::outside_root,
                                           MutationOperator::no_root,
                                           MutationOperator::root_twice,
                                           MutationOperator::negate,
                                           MutationOperator::square,
                                           MutationOperator::inverted,
                                           MutationOperator::added_to_inverse};
    const T least = static_cast<T>(1e-5);
    if (eps < least) offered.push_back(MutationOperator::raised);
    switch (sites_.any("eps", offered.span())) {
      case MutationOperator::raised:
        return 1 / sqrt(statistic + least);
      case MutationOperator::drop:
        return 1 / sqrt(statistic);
      case MutationOperator::ten_times:
        return 1 / sqrt(statistic + 10 * eps);
      case MutationOperator::outside_root:
        return 1 / (sqrt(statistic) + eps);
      case MutationOperator::no_root:
        return 1 / (statistic + eps);
      case MutationOperator::root_twice:
        return 1 / sqrt(sqrt(statistic + eps));
      case MutationOperator::negate:
        return 1 / sqrt(statistic - eps);
      case MutationOperator::square:
        return 1 / sqrt(statistic + eps * eps);
      case MutationOperator::inverted:  // error: x is multiplied by the root
        return sqrt(statistic + eps);
      case MutationOperator::added_to_inverse:
        return 1 / sqrt(statistic) + eps;
      default:
        return 1 / sqrt(statistic + eps);
    }
  }

  T add(const std::vector<T>& terms) const {
    switch (style_.sum) {
      case Style::Sum::forwards:
        return forwards(terms);
      case Style::Sum::backwards:
        return forwards({terms.rbegin(), terms.rend()});
      case Style::Sum::pairwise:
        return pairwise(terms, 0, terms.size());
      case Style::Sum::strided: {
        std::vector<T> lanes(8, 0);
        for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % 8] += terms[i];
        return pairwise(lanes, 0, lanes.size());
      }
      case Style::Sum::two_stages: {
        std::vector<T> parts;
        for (std::size_t i = 0; i < terms.size(); ++i) {
          if (i % 16 == 0) parts.push_back(T(0));
          parts.back() += terms[i];
        }
        return forwards(parts);
      }
      case Style::Sum::in_double: {
        if constexpr (std::is_constructible_v<double, T>) {
          double total = 0;
          for (const T term : terms) total += static_cast<double>(term);
          return static_cast<T>(total);
        } else {
          return forwards(terms);
        }
      }
    }
    return 0;
  }
  static T forwards(const std::vector<T>& terms) {
    T total = 0;
    for (const T term : terms) total += term;
    return total;
  }
  static T pairwise(const std::vector<T>& terms, std::size_t begin, std::size_t end) {
    if (end - begin <= 2) {
      T total = 0;
      for (; begin < end; ++begin) total += terms[begin];
      return total;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    return pairwise(terms, begin, middle) + pairwise(terms, middle, end);
  }

  Style style_;
  Sites& sites_;
  bool shows_single_terms_;
};

}  // namespace normproof::verification::golden::plain
