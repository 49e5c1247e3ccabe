#pragma once

#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace normproof::verification::golden::mutations {

/// An error that is injected at one place (a site) of a formula. The choice of errors is
/// mechanical: a site offers every operator that applies to its kind, whether or not anybody has
/// ever made that mistake.
enum class MutationOperator {
  none,
  drop,              ///< a term becomes 0; a factor becomes 1
  negate,            ///< the sign of a term or a factor is changed
  twice,             ///< a term counts twice
  square,            ///< a factor is applied twice
  one_less,          ///< a count n becomes n - 1
  one_more,          ///< a count n becomes n + 1
  ten_times,         ///< eps becomes 10 eps
  outside_root,      ///< a reciprocal root of v is computed as 1 / (sqrt(v) + eps)
  inside_root,       ///< 1 / (sqrt(v) + eps) becomes 1 / sqrt(v + eps)
  no_root,           ///< a reciprocal root of v is computed as 1 / (v + eps)
  root_twice,        ///< a reciprocal root of v is computed as 1 / sqrt(sqrt(v + eps))
  forget_last,       ///< a sum omits its last term
  forget_first,      ///< a sum omits its first term
  other,             ///< a similar value is used instead, such as a stale one, or beta for gamma
  complement,        ///< a weight a becomes 1 - a
  ignore_mask,       ///< padded rows are included
  invert_mask,       ///< only padded rows are included
  one_pass,          ///< the variance is computed as E[x^2] - E[x]^2
  bfloat16_sum,      ///< a sum is accumulated with 8 significant bits
  unwritten_last,    ///< the last element of the output is not written
  unwritten_row,     ///< the last row is not written
  clean_nan,         ///< NaN becomes 0
  transposed,        ///< rows and features are exchanged
  half_precision,    ///< a value is rounded to 11 significant bits
  previous_row,      ///< the last row is a copy of the row before it
  reversed,          ///< the rows are in reverse order
  insert,            ///< a term is added that does not belong to the formula
  forget_remainder,  ///< a sum omits the terms after its last whole block of 32
  forget_block,      ///< a sum omits its last whole block of 32 terms
  padded_lanes,      ///< zeros that pad a block of 32 lanes count as elements
  raised,            ///< eps is raised to 1e-5 if it is smaller
  zeroed,            ///< values smaller than 1e-10 become 0
  flushed,           ///< subnormal numbers become 0
  truncate,          ///< stored numbers are truncated instead of rounded
  single_precision,  ///< a constant is rounded to float32 in a float64 kernel
  first_256,         ///< a sum omits the terms after its first 256
  first_1024,        ///< a sum omits the terms after its first 1024
  clip,              ///< values beyond a limit become the limit
  ignore_nan,        ///< a maximum skips NaN; if every element is NaN, there is no maximum
  reset,             ///< every step is treated as the first one
  inverted,          ///< a scale divides where it should multiply, and vice versa
  other_format,      ///< the bits of e4m3 are read as e5m2, and vice versa
  other_bias,        ///< the exponent bias is larger by 1, as in formats without negative zero
  unsaturated,       ///< values out of range become infinity or NaN
  /// The value is first rounded to bfloat16, in addition to the correct rounding.
  through_bfloat16,
  through_float16,  ///< the value is first rounded to float16, in addition to the correct rounding
  half_block,       ///< the scale of a block is computed from 16 of its elements
  whole_row,        ///< the scale of a block is computed from its whole row
  halved,           ///< a scale is halved
  not_a_number,     ///< a scale is NaN
  rotated,          ///< rows are rotated by one: the first row moves to the end
  rotated_back,     ///< rows are rotated by one: the last row moves to the beginning
  first_32,         ///< what follows the first 32 elements is omitted
  first_64,
  first_128,
  first_512,
  repeat_1,   ///< the first element of a vector is used for all
  repeat_32,  ///< the first 32 elements of a vector are used for each block of 32
  repeat_64,
  repeat_128,
  repeat_256,
  repeat_512,
  repeat_1024,
  /// The last block of 4 rows is omitted, whether or not the block is whole.
  partial_4,
  partial_8,
  partial_16,
  partial_32,
  partial_64,
  partial_128,
  four_times,
  eight_times,
  overflowing,          ///< an exponential overflows, and infinity over infinity is NaN
  padded_power,         ///< zeros that pad a row to a power of two count as elements
  exchanged_columns_4,  ///< neighboring tiles of 4 columns are exchanged
  exchanged_columns_8,
  exchanged_columns_16,
  exchanged_columns_32,
  exchanged_columns_64,
  exchanged_columns_128,
  exchanged_rows_4,  ///< neighboring tiles of 4 rows are exchanged
  exchanged_rows_8,
  exchanged_rows_16,
  exchanged_rows_32,
  exchanged_rows_64,
  exchanged_rows_128,
  repeat_second,  ///< the second element of a vector is used for all
  repeat_third,
  repeat_last,
  by_row,   ///< element r of a vector is used for all columns of row r
  block_1,  ///< a step is made for each element; its site says which step
  block_4,  ///< a step is made for each block of 4 elements
  block_8,
  block_16,
  block_32,
  block_64,
  block_128,
  block_256,
  block_512,
  block_1024,
  parts_2,  ///< a step is made for each of 2 equal parts; its site says which step
  parts_4,
  parts_8,
  parts_16,
  parts_32,
  added_to_inverse,     ///< a reciprocal root of v is computed as 1 / sqrt(v) + eps
  detached,             ///< a value that depends on the inputs is differentiated as a constant
  first_row,            ///< every row is a copy of the first one
  forget_first_block,   ///< a sum of more than 32 terms omits the first block of 32
  forget_second_block,  ///< a sum of at least 64 terms omits the second block of 32
  half_away,            ///< ties are rounded away from 0
  last_operator = half_away,
};
/// Returns what the operator does to a site, such as "dropped". The names of mistakes
/// (mistake_name.hpp) end with it, unless the site has words of its own.
std::string_view to_string(MutationOperator op);

/// A wrong implementation: one error (an operator) at one place (a site) of its formula, or at all
/// sites of a joint site.
struct Mutation {
  std::string site;
  MutationOperator op = MutationOperator::none;

  bool operator==(const Mutation&) const = default;
};

struct JointSite;

/// Thrown by a run of an implementation whose work limit is spent (Sites::limit).
class WorkLimitReached : public std::exception {
 public:
  const char* what() const noexcept override { return "the work limit of the run is spent"; }
};

/// A short list of operators that a site offers. It needs no memory of the heap, because sums offer
/// their operators once for each element of a result.
class OfferedOperators {
 public:
  OfferedOperators(std::initializer_list<MutationOperator> operators) {
    for (const MutationOperator op : operators) push_back(op);
  }
  void push_back(MutationOperator op) { operators_.at(count_++) = op; }
  std::span<const MutationOperator> span() const { return {operators_.data(), count_}; }

 private:
  std::array<MutationOperator, 40> operators_{};
  std::size_t count_ = 0;
};

/// Receives every value at which an implementation allows an injected error. Such a place in a
/// formula is a site and has a unique name. The object changes the value if the site and the
/// operator belong to its mutation, and returns it unchanged otherwise. In listing mode it also
/// collects the mutations that each site offers.
class Sites {
 public:
  Sites() = default;
  explicit Sites(Mutation mutation);

  /// Returns every mutation that the implementation offers, each once, in the order in which its
  /// sites were used. The mutations of a joint site (joint_sites.hpp) are listed when the second of
  /// its sites is used.
  const std::vector<Mutation>& seen() const { return seen_; }
  void list() { listing_ = true; }

  /// Limits the work of the runs with this object. `left` is the number of uses of a site and of
  /// terms of a sum that are still allowed, and each of them decreases it. Several objects may
  /// share it.
  /// Requires  `left` outlives this object and its parts
  void limit(std::uint64_t& left) { work_left_ = &left; }
  /// Counts `work` against the limit.
  /// Throws    WorkLimitReached if it is spent
  void spend(std::uint64_t work) {
    if (work_left_ == nullptr) return;
    if (*work_left_ < work) {
      *work_left_ = 0;
      throw WorkLimitReached();
    }
    *work_left_ -= work;
  }

  /// Returns the object for a part of the implementation. A site `name` of the part is the site
  /// `prefix + name` of this object.
  Sites part(std::string_view prefix) const;

  /// Rounds x to the given number of significant bits, ties to even. Returns x unchanged if it is
  /// so large that the computation overflows, or if it is not a floating-point number.
  template <int digits, class T>
  static T rounded_to(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      const T factor =
          static_cast<T>(std::uint64_t{1} << (std::numeric_limits<T>::digits - digits)) + 1;
      const T wide = x * factor, rounded = wide - (wide - x);
      return std::isfinite(rounded) ? rounded : x;
    } else {
      return x;
    }
  }

  template <class T>
  T term(const char* site, T value) {
    switch (at(site, kTerm)) {
      case MutationOperator::drop:
        return T(0);
      case MutationOperator::negate:
        return -value;
      case MutationOperator::twice:
        return value + value;
      default:
        return value;
    }
  }

  template <class T>
  T factor(const char* site, T value) {
    switch (at(site, kFactor)) {
      case MutationOperator::drop:
        return T(1);
      case MutationOperator::negate:
        return -value;
      case MutationOperator::square:
        return value * value;
      case MutationOperator::half_precision:
        return rounded_to<11>(value);
      default:
        return value;
    }
  }

  template <class T>
  T count(const char* site, T n) {
    switch (at(site, kCount)) {
      case MutationOperator::one_less:
        return n - 1;
      case MutationOperator::one_more:
        return n + 1;
      default:
        return n;
    }
  }

  /// Returns `n`, the number by which a sum is divided. Besides the errors of a count, the division
  /// may be missing, unless n is 1.
  template <class T>
  T divisor(const char* site, T n) {
    switch (at(site, T(1) < n ? kDivisor : kCount)) {
      case MutationOperator::one_less:
        return n - 1;
      case MutationOperator::one_more:
        return n + 1;
      case MutationOperator::drop:
        return T(1);
      default:
        return n;
    }
  }

  /// Returns `a`, the weight of the old value in a moving average. If the mutation applies to it,
  /// returns a wrong weight.
  template <class T>
  T weight(const char* site, T a) {
    switch (at(site, kWeight)) {
      case MutationOperator::complement:
        return 1 - a;
      case MutationOperator::drop:
        return T(0);
      default:
        return a;
    }
  }

  template <class T>
  const T& pick(const char* site, const T& right, const T& wrong) {
    return at(site, kPick) == MutationOperator::other ? wrong : right;
  }

  /// Returns whether a row is included. `valid` says whether the row is a token and not padding. A
  /// mask that excludes nothing is not listed, because a candidate without padding has no mask.
  bool mask(const char* site, bool valid) {
    switch (valid && listing_ ? MutationOperator::none : at(site, kMask)) {
      case MutationOperator::ignore_mask:
        return true;
      case MutationOperator::invert_mask:
        return !valid;
      default:
        return valid;
    }
  }

  /// Returns `value`, a constant of the formula or an option. If the mutation applies to it,
  /// returns `value` rounded to float32.
  template <class T>
  T constant(const char* site, T value) {
    if constexpr (std::is_floating_point_v<T>) {
      const T single = rounded_to<24>(value);
      if (single != value && at(site, kConstant) == MutationOperator::single_precision)
        return single;
    }
    return value;
  }

  /// Returns the operator that the mutation applies at this site. It is one of `offered`, or
  /// `none`.
  MutationOperator any(const char* site, std::initializer_list<MutationOperator> offered) {
    return at(site, {offered.begin(), offered.size()});
  }
  MutationOperator any(const char* site, std::span<const MutationOperator> offered) {
    return at(site, offered);
  }

  static const std::vector<MutationOperator> kTerm, kFactor, kCount, kDivisor, kWeight, kPick,
      kMask, kConstant;

 private:
  MutationOperator at(const char* site, std::span<const MutationOperator> offered);
  bool is_mutated_at(const char* site) const;
  void note(const char* site, std::span<const MutationOperator> offered);
  void note(Mutation mutation);

  Mutation mutation_;
  const JointSite* joint_ = nullptr;  ///< set if mutation_ names a joint site
  std::string prefix_;                ///< the prefix of this part, used if joint_ is set
  bool listing_ = false;
  std::vector<Mutation> seen_;
  /// For each site, the operators that it was listed with, one bit per operator.
  using OperatorSet = std::bitset<static_cast<std::size_t>(MutationOperator::last_operator) + 1>;
  std::map<std::string, OperatorSet, std::less<>> recorded_;
  std::uint64_t* work_left_ = nullptr;
  /// For each joint site, the first of its sites that was used.
  std::map<const JointSite*, std::string> first_;
};

}  // namespace normproof::verification::golden::mutations
