#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ref/numeric/power_of_two.hpp"
#include "verification/golden/mutations/mutation.hpp"
#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

using mutations::Mutation;
using mutations::MutationOperator;
using mutations::Sites;

using corpus::storage_format;
using ref::io::DType;

/// The shape of x as [rows, d_model]. The number of rows is samples times tokens.
struct PlainShape {
  std::size_t samples = 0, tokens = 0, d_model = 0;
  std::size_t rows() const { return samples * tokens; }
  std::size_t size() const { return rows() * d_model; }
};

/// One list of indices per slice, in ascending order. The elements of a slice share a statistic.
using Slices = std::vector<std::vector<std::size_t>>;

/// Returns one slice for each `width` consecutive features of each row. The slices are whole rows
/// if `width` is d_model.
inline Slices cut_rows(const PlainShape& s, std::size_t width) {
  Slices slices(s.size() / width);
  for (std::size_t i = 0; i < s.size(); ++i) slices[i / width].push_back(i);
  return slices;
}
inline Slices cut_columns(const PlainShape& s) {
  Slices slices(s.d_model);
  for (std::size_t i = 0; i < s.size(); ++i) slices[i % s.d_model].push_back(i);
  return slices;
}
/// Returns one slice for each interleaved group of each sample. If there are G groups, each group
/// consists of every G-th feature. These slices are wrong for GroupNorm, whose groups are
/// consecutive features.
inline Slices cut_interleaved(const PlainShape& s, std::size_t width) {
  const std::size_t groups = s.d_model / width;
  Slices slices(s.samples * groups);
  for (std::size_t i = 0; i < s.size(); ++i)
    slices[i / (s.tokens * s.d_model) * groups + i % groups].push_back(i);
  return slices;
}
inline Slices cut_samples(const PlainShape& s, std::size_t width) {
  const std::size_t groups = s.d_model / width;
  Slices slices(s.samples * groups);
  for (std::size_t i = 0; i < s.size(); ++i)
    slices[i / (s.tokens * s.d_model) * groups + i % s.d_model / width].push_back(i);
  return slices;
}
/// Returns the slices of GroupNorm, whose groups have `width` features. The groups are consecutive
/// features. An injected error can interleave the groups.
inline Slices cut_groups(const PlainShape& s, std::size_t width, Sites& sites) {
  const bool interleaved =
      width > 1 && width < s.d_model &&
      sites.any("features of a group", {MutationOperator::other}) == MutationOperator::other;
  return interleaved ? cut_interleaved(s, width) : cut_samples(s, width);
}

/// Injects errors in reading rows: a duplicated last row, or rows in reverse order.
template <class T>
void read_rows(const char* site, const PlainShape& shape, std::vector<T>& values, Sites& sites) {
  const auto width = static_cast<std::ptrdiff_t>(shape.d_model);
  const std::size_t rows = shape.rows();
  if (values.size() != shape.size() || rows < 2) return;
  const auto row = [&](std::size_t i) {
    return values.begin() + static_cast<std::ptrdiff_t>(i) * width;
  };
  switch (sites.any(site, {MutationOperator::previous_row, MutationOperator::reversed})) {
    case MutationOperator::previous_row:
      std::copy_n(row(rows - 2), width, row(rows - 1));
      break;
    case MutationOperator::reversed:
      for (std::size_t i = 0; i < rows / 2; ++i)
        std::swap_ranges(row(i), row(i + 1), row(rows - 1 - i));
      break;
    default:
      break;
  }
}

/// Returns the width of the tiles that an injected error exchanges along an axis of `extent`
/// elements: the largest of 32, 16 and 8 of which the axis has an even number. Returns 0 if there
/// is none.
inline std::size_t tile_width(std::size_t extent) {
  for (const std::size_t width : {32, 16, 8})
    if (extent > 0 && extent % (2 * width) == 0) return width;
  return 0;
}

/// Exchanges the first `width` elements with the next ones, and so on for each pair of blocks.
/// Requires  `2 width` divides the number of values
template <class T>
void exchange_tiles(std::vector<T>& values, std::size_t width) {
  const auto step = static_cast<std::ptrdiff_t>(width);
  for (auto tile = values.begin(); tile != values.end(); tile += 2 * step)
    std::swap_ranges(tile, tile + step, tile + step);
}

/// Returns the number of terms of a sum, or of elements of a row, that one of the operators
/// first_32 to first_1024 leaves; nothing for another operator.
inline std::optional<std::size_t> size_of_first_block(MutationOperator op) {
  switch (op) {
    case MutationOperator::first_32:
      return 32;
    case MutationOperator::first_64:
      return 64;
    case MutationOperator::first_128:
      return 128;
    case MutationOperator::first_256:
      return 256;
    case MutationOperator::first_512:
      return 512;
    case MutationOperator::first_1024:
      return 1024;
    default:
      return std::nullopt;
  }
}

/// Returns the number of elements that a block has in the operators partial_8 to partial_128, and
/// in the operators repeat_1 to repeat_1024; nothing for another operator.
inline std::optional<std::size_t> size_of_partial(MutationOperator op) {
  switch (op) {
    case MutationOperator::partial_8:
      return 8;
    case MutationOperator::partial_16:
      return 16;
    case MutationOperator::partial_64:
      return 64;
    case MutationOperator::partial_128:
      return 128;
    default:
      return std::nullopt;
  }
}
inline std::optional<std::size_t> period_of_repetition(MutationOperator op) {
  switch (op) {
    case MutationOperator::repeat_1:
      return 1;
    case MutationOperator::repeat_32:
      return 32;
    case MutationOperator::repeat_64:
      return 64;
    case MutationOperator::repeat_128:
      return 128;
    case MutationOperator::repeat_256:
      return 256;
    case MutationOperator::repeat_512:
      return 512;
    case MutationOperator::repeat_1024:
      return 1024;
    default:
      return std::nullopt;
  }
}

/// Whether the elements of a row past its first block are so many that the row without them shows
/// it: a sixteenth of the row or more.
inline bool is_much_smaller(std::size_t block, std::size_t count) {
  return block < count && 16 * (count - block) >= count;
}

/// Returns how many of the `count` elements of a row an implementation reads whose blocks are
/// smaller than the row. Without an injected error it reads all of them.
inline std::size_t elements_of_first_block(const char* site, std::size_t count, Sites& sites) {
  mutations::OfferedOperators offered = {};
  for (const MutationOperator op :
       {MutationOperator::first_32, MutationOperator::first_64, MutationOperator::first_128,
        MutationOperator::first_256, MutationOperator::first_512, MutationOperator::first_1024})
    if (is_much_smaller(*size_of_first_block(op), count)) offered.push_back(op);
  return size_of_first_block(sites.any(site, offered.span())).value_or(count);
}

/// Injects an error in reading a parameter: its first element or its first block is used for all
/// features.
template <class T>
void read_parameter(const char* site, std::vector<T>& values, Sites& sites) {
  if (values.size() < 2) return;
  mutations::OfferedOperators offered = {MutationOperator::repeat_1};
  for (const MutationOperator op :
       {MutationOperator::repeat_32, MutationOperator::repeat_64, MutationOperator::repeat_128,
        MutationOperator::repeat_256, MutationOperator::repeat_512, MutationOperator::repeat_1024})
    if (*period_of_repetition(op) < values.size()) offered.push_back(op);
  const auto period = period_of_repetition(sites.any(site, offered.span()));
  for (std::size_t d = 0; period && d < values.size(); ++d) values[d] = values[d % *period];
}

/// Injects an error in writing the output `name`: some elements are not written, NaN is written as
/// 0, or rows and features are exchanged.
template <class T>
void write_rows(const std::string& name, const PlainShape& shape, std::vector<T>& values,
                Sites& sites, bool may_hold_nan = true) {
  if (values.empty()) return;
  const bool rows = values.size() == shape.size() && shape.rows() > 1 && shape.d_model > 1;
  const bool whole = values.size() == shape.size();
  const std::size_t column_tile = whole ? tile_width(shape.d_model) : 0;
  const std::size_t row_tile = whole ? tile_width(shape.rows()) : 0;
  mutations::OfferedOperators offered = {MutationOperator::unwritten_last};
  if (may_hold_nan) offered.push_back(MutationOperator::clean_nan);
  if (rows) offered.push_back(MutationOperator::unwritten_row);
  if (rows) offered.push_back(MutationOperator::transposed);
  if (rows && shape.rows() % 32 == 0) offered.push_back(MutationOperator::unwritten_block);
  if (column_tile > 0) offered.push_back(MutationOperator::exchanged_columns);
  if (row_tile > 0) offered.push_back(MutationOperator::exchanged_rows);
  const auto clear_last_rows = [&](std::size_t count) {
    std::fill(values.end() - static_cast<std::ptrdiff_t>(count * shape.d_model), values.end(),
              T(0));
  };
  switch (sites.any(("writing " + name).c_str(), offered.span())) {
    case MutationOperator::exchanged_columns:
      exchange_tiles(values, column_tile);
      break;
    case MutationOperator::exchanged_rows:
      exchange_tiles(values, row_tile * shape.d_model);
      break;
    case MutationOperator::unwritten_last:
      values.back() = 0;
      break;
    case MutationOperator::unwritten_row:
      clear_last_rows(1);
      break;
    case MutationOperator::unwritten_block:
      clear_last_rows(32);
      break;
    case MutationOperator::clean_nan:
      for (T& v : values)
        if (v != v) v = 0;  // NOLINT(misc-redundant-expression): NaN, of any scalar
      break;
    case MutationOperator::transposed: {
      const std::vector<T> old = values;
      for (std::size_t i = 0; i < old.size(); ++i)
        values[i % shape.d_model * shape.rows() + i / shape.d_model] = old[i];
      break;
    }
    default:
      break;
  }
}

/// Truncates v toward 0 to a number of the dtype. If the dtype can represent v, returns v.
inline double truncate_to_dtype(DType dtype, double v) {
  const double rounded = ref::numeric::round_to(storage_format(dtype), v);
  if (!(std::fabs(rounded) > std::fabs(v))) return rounded;
  const double u = ref::numeric::float_format_info(storage_format(dtype)).unit_roundoff;
  return ref::numeric::round_to(storage_format(dtype), rounded * (1 - 1.25 * u));
}

/// Makes a tensor of the given dtype from an output, as a kernel stores it. Each value is rounded
/// to the dtype. An injected error can truncate the values instead.
template <class T>
StoredTensor stored_tensor(const std::string& name, DType dtype, std::vector<std::size_t> shape,
                           const std::vector<T>& values, const Style& style, Sites& sites) {
  const double least =
      std::max(static_cast<double>(std::numeric_limits<T>::min()),
               ref::numeric::float_format_info(storage_format(dtype)).smallest_normal);
  std::vector<double> rounded, cut;
  rounded.reserve(values.size());
  for (const T v : values) {
    const double own = static_cast<double>(v);
    const double value = style.flushed && std::fabs(own) < least ? 0 : own;
    rounded.push_back(ref::numeric::round_to(storage_format(dtype), value));
    if (ref::io::item_size(dtype) < 4) cut.push_back(truncate_to_dtype(dtype, value));
  }
  // Truncation is offered only if it changes a number, that is, if 16 bits cannot represent it.
  if (cut.size() == rounded.size() && cut != rounded &&
      sites.any("storing the results", {MutationOperator::truncate}) != MutationOperator::none)
    rounded = std::move(cut);
  return ref::io::make_tensor(name, dtype, std::move(shape), rounded);
}

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

  /// Returns the sum of f(i) over the indices.
  template <class F>
  T sum(const char* site, const std::vector<std::size_t>& indices, F f) {
    mutations::OfferedOperators offered = {MutationOperator::forget_last,
                                           MutationOperator::forget_first,
                                           MutationOperator::bfloat16_sum};
    const std::size_t in_blocks = indices.size() / 32 * 32;
    if (in_blocks > 0 && in_blocks < indices.size())
      offered.push_back(MutationOperator::forget_remainder);
    if (in_blocks > 0 && in_blocks == indices.size())
      offered.push_back(MutationOperator::forget_block);
    if (is_truncation_visible(256, indices.size())) offered.push_back(MutationOperator::first_256);
    if (is_truncation_visible(1024, indices.size()))
      offered.push_back(MutationOperator::first_1024);
    const MutationOperator op = sites_.any(site, offered.span());
    sites_.spend(indices.size());
    std::vector<T> terms;
    terms.reserve(indices.size());
    for (const std::size_t i : indices) terms.push_back(f(i));
    if (op == MutationOperator::forget_last && !terms.empty()) terms.pop_back();
    if (op == MutationOperator::forget_first && !terms.empty()) terms.erase(terms.begin());
    if (op == MutationOperator::forget_remainder) terms.resize(in_blocks);
    if (op == MutationOperator::forget_block) terms.resize(in_blocks - 32);
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
  /// Whether the sum of `count` terms changes visibly if only its first `block` terms are added.
  bool is_truncation_visible(std::size_t block, std::size_t count) const {
    return count > block && (shows_single_terms_ || (count - block) * 64 >= count);
  }

  T exact_rstd(T statistic, T eps) {
    using std::sqrt;
    mutations::OfferedOperators offered = {
        MutationOperator::drop,    MutationOperator::ten_times,  MutationOperator::outside_root,
        MutationOperator::no_root, MutationOperator::root_twice, MutationOperator::negate,
        MutationOperator::square};
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
