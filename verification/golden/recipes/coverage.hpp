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

/// Numbers in ascending order, then other texts.
struct ByValue {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
/// Values as text, and in how many cases each is.
using Counts = std::map<std::string, std::size_t, ByValue>;

/// How far the elements of a tensor reach.
struct Magnitudes {
  double least = std::numeric_limits<double>::infinity();  ///< |v| that is not 0
  double greatest = 0;                                     ///< |v| that is finite
  bool zero = false, negative = false, not_a_number = false, infinity = false;
};

inline constexpr const char* kGiven = "given";
inline constexpr const char* kAbsent = "absent";

/// What cases of one operation touch, of everything that an implementation can be asked for.
struct Coverage {
  std::size_t cases = 0;
  Counts dtypes, modes;
  std::map<std::string, Counts> options;
  std::map<std::string, Counts> inputs;  ///< of those that may be absent: given, absent
  /// "features", "rows", "features a head", ...: the numbers that occur
  std::map<std::string, std::set<std::size_t>> extents;
  /// Of tensors with a float dtype; those of an encoder by the last part of their names.
  std::map<std::pair<std::string, DType>, Magnitudes> magnitudes;

  void add(const Case& c);
  Coverage& operator+=(const Coverage& more);
};

}  // namespace normproof::verification::golden::recipes
