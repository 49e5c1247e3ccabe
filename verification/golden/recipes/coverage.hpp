#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;

/// Compares two texts. Numbers come first and are ordered by value; other texts follow in
/// alphabetical order.
struct NumbersFirst {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
/// Maps a value, written as text, to the number of cases that have this value.
using Counts = std::map<std::string, std::size_t, NumbersFirst>;

/// Which magnitudes and special values occur among the elements of a tensor.
struct MagnitudeRange {
  double least = std::numeric_limits<double>::infinity();  ///< the smallest nonzero magnitude
  double greatest = 0;                                     ///< the largest finite magnitude
  bool zero = false, negative = false, not_a_number = false, infinity = false;
};

inline constexpr const char* kGiven = "given";
inline constexpr const char* kAbsent = "absent";

/// The extents that Coverage lists separately for 16-bit dtypes. Kernels read 16-bit elements in
/// vectors of 16 bytes, so that some extents have code of their own in these dtypes.
inline constexpr std::string_view kExtentsInSixteenBits[] = {"features", "features a head",
                                                             "elements"};

/// Which dtypes, options, inputs and extents occur in the cases of one operation.
struct Coverage {
  std::size_t cases = 0;
  Counts dtypes, modes;
  std::map<std::string, Counts> options;
  /// Maps the name of each optional input to two counts: the cases that have this input, and the
  /// cases that do not.
  std::map<std::string, Counts> inputs;
  /// The values that occur for each extent, such as "features", "rows" or "features a head". The
  /// extents in kExtentsInSixteenBits also occur with " in 16 bits" after their name. Such an entry
  /// has the values in cases of a 16-bit dtype.
  std::map<std::string, std::set<std::size_t>> extents;
  /// The magnitudes that occur in each floating-point input, by name and dtype. An input of an
  /// encoder is listed under the last part of its name, such as "weight".
  std::map<std::pair<std::string, DType>, MagnitudeRange> magnitudes;

  void add(const Case& c);
  Coverage& operator+=(const Coverage& more);
};

}  // namespace normproof::verification::golden::recipes
