#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace normproof::verification::golden::mutations {

/// What may go wrong at a place of a formula. Mechanical: a site offers the operators of its kind,
/// whether or not somebody has made that mistake before.
enum class MutationOperator {
  none,
  drop,              ///< a term becomes 0, a factor 1
  negate,            ///< a term or a factor changes its sign
  twice,             ///< a term counts twice
  square,            ///< a factor is applied twice
  one_less,          ///< a count n becomes n - 1
  one_more,          ///< a count n becomes n + 1
  ten_times,         ///< eps becomes 10 eps
  outside_root,      ///< 1 / (sqrt(v) + eps)
  inside_root,       ///< 1 / sqrt(v + eps) for 1 / (sqrt(v) + eps)
  no_root,           ///< 1 / (v + eps)
  root_twice,        ///< 1 / sqrt(sqrt(v + eps))
  forget_last,       ///< a sum ends one term too early
  forget_first,      ///< a sum begins one term too late
  other,             ///< the other one of two: stale for fresh, beta for gamma, the next feature
  complement,        ///< a weight a becomes 1 - a
  ignore_mask,       ///< padding counts
  invert_mask,       ///< padding counts, and nothing else
  one_pass,          ///< E[x^2] - E[x]^2
  bfloat16_sum,      ///< the sum is kept in 8 digits
  unwritten_last,    ///< the last element of the output is not written
  unwritten_row,     ///< the last row is not written
  unwritten_block,   ///< the last 32 rows are not written where 32 divides their number
  clean_nan,         ///< NaN becomes 0
  transposed,        ///< rows and features are exchanged
  half_precision,    ///< a value is rounded to 11 digits
  previous_row,      ///< the last row is taken from the row before
  reversed,          ///< rows in the other order
  insert,            ///< a term that does not belong there
  forget_remainder,  ///< a sum ends with its last whole block of 32 terms
  forget_block,      ///< a sum loses its last block of 32 terms where that is whole
  padded_lanes,      ///< a block of 32 lanes is filled up with zeros, which count as elements
  raised,            ///< eps becomes 1e-5 where it is less
  zeroed,            ///< what is less than 1e-10 becomes 0
  flushed,           ///< what is below the least normal number becomes 0
  truncate,          ///< what is stored is cut, not rounded
  single_precision,  ///< a constant is rounded to float32 in a kernel of float64
  first_256,         ///< a sum ends with its first block of 256 terms
  first_1024,        ///< the same of 1024
  clip,              ///< what is too small is raised to a least value
  ignore_nan,        ///< a largest element that passes over NaN; of nothing else there is none
  reset,             ///< every step counts as the first
  inverted,          ///< a scale divides where it multiplies, and the reverse
  other_format,      ///< bits of e4m3 taken for e5m2, and the reverse
  other_bias,        ///< bits by the bias of the formats without negative zero, which is 1 more
  unsaturated,       ///< what is beyond the range is infinity or NaN
  through_bfloat16,  ///< rounded to bfloat16 before
  through_float16,   ///< rounded to float16 before
  half_block,        ///< the scale of a block is that of 16 elements
  whole_row,         ///< the scale of a block is that of the row
  halved,            ///< a scale is half as large
  not_a_number,      ///< a scale is NaN
  rotated,           ///< rows begin with the second one, and end with the first
  rotated_back,      ///< rows begin with the last one
};
std::string_view to_string(MutationOperator op);

/// One operator at one site, or at those of a joint one: a wrong implementation.
struct Mutation {
  std::string site;
  MutationOperator op = MutationOperator::none;

  bool operator==(const Mutation&) const = default;
};

struct JointSite;

/// The sites that an implementation passes, each a place of its formula under a name of its own.
/// One of them may be mutated; while listing, what each site offers is collected.
class Sites {
 public:
  Sites() = default;
  explicit Sites(Mutation mutation);

  /// Every mutation of the sites that were passed, in the order of passing, each once; those of a
  /// joint site (joint_sites.hpp) where its second one was.
  const std::vector<Mutation>& seen() const { return seen_; }
  void list() { listing_ = true; }

  /// The sites of a part, whose names begin with `prefix` here and there do not.
  Sites part(std::string_view prefix) const;

  /// x with that many digits, ties to even; the same where it is too large for it, or no float.
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

  /// A weight of the old value.
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

  /// Whether a row counts; `valid` says whether it is a token.
  bool mask(const char* site, bool valid) {
    switch (at(site, kMask)) {
      case MutationOperator::ignore_mask:
        return true;
      case MutationOperator::invert_mask:
        return !valid;
      default:
        return valid;
    }
  }

  /// A constant of the formula, or an option.
  template <class T>
  T constant(const char* site, T value) {
    if constexpr (std::is_floating_point_v<T>) {
      const T single = rounded_to<24>(value);
      if (single != value && at(site, kConstant) == MutationOperator::single_precision)
        return single;
    }
    return value;
  }

  /// Any one of the operators, for places of their own.
  MutationOperator any(const char* site, const std::vector<MutationOperator>& offered) {
    return at(site, offered);
  }

  static const std::vector<MutationOperator> kTerm, kFactor, kCount, kWeight, kPick, kMask,
      kConstant;

 private:
  MutationOperator at(const char* site, const std::vector<MutationOperator>& offered);
  bool acts_at(const char* site) const;
  void note(const char* site, const std::vector<MutationOperator>& offered);
  void note(Mutation mutation);

  Mutation mutation_;
  const JointSite* joint_ = nullptr;  ///< where mutation_ is of one
  std::string prefix_;                ///< where joint_ is that of the whole: the name of this part
  bool listing_ = false;
  std::vector<Mutation> seen_;
  std::map<std::string, std::uint64_t, std::less<>> noted_;  ///< site: a bit for each seen operator
  std::map<const JointSite*, std::string> first_;  ///< the site at which a joint one was passed
};

}  // namespace normproof::verification::golden::mutations
