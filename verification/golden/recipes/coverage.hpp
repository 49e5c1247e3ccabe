#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;

/// Orders numbers ascending, then other texts.
struct ByValue {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
/// Maps a value, as text, to the number of cases that have it.
using Counts = std::map<std::string, std::size_t, ByValue>;

/// The range of the elements of a tensor.
struct Magnitudes {
  double least = std::numeric_limits<double>::infinity();  ///< the smallest nonzero |v|
  double greatest = 0;                                     ///< the largest finite |v|
  bool zero = false, negative = false, not_a_number = false, infinity = false;
};

inline constexpr const char* kGiven = "given";
inline constexpr const char* kAbsent = "absent";

/// What the cases of one operation cover of the dtypes, options, inputs and extents that an
/// implementation may meet.
struct Coverage {
  std::size_t cases = 0;
  Counts dtypes, modes;
  std::map<std::string, Counts> options;
  std::map<std::string, Counts> inputs;  ///< optional inputs: how often given and absent
  /// The values of "features", "rows", "features a head", ... that occur.
  std::map<std::string, std::set<std::size_t>> extents;
  /// Covers floating-point tensors; those of an encoder are listed by the last part of their names.
  std::map<std::pair<std::string, DType>, Magnitudes> magnitudes;

  void add(const Case& c);
  Coverage& operator+=(const Coverage& more);
};

}  // namespace normproof::verification::golden::recipes
