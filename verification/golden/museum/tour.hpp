#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"
#include "verification/golden/museum/exhibit.hpp"

namespace normproof::verification::golden::museum {

using corpus::Tier;

/// What became of an exhibit.
struct Visit {
  Exhibit exhibit;
  std::size_t cases = 0;       ///< that were asked
  std::string case_path = {};  ///< of the case that finds it; empty: it is missed
  std::string relation = {};   ///< that it breaks there; empty: it is out of its bound
  std::string named = {};      ///< what the gate takes the mistake for, where it knows one
  double closest = 0;  ///< where nothing finds it: the largest share of a bound that it reached

  bool found() const { return !case_path.empty(); }
};

struct TourOptions {
  Tier tier = Tier::quick;  ///< and those below it
  std::string only = "*";   ///< a glob on the operations
  int jobs = 1;
  std::function<void(const std::string& op, std::size_t done, std::size_t of)> finished = {};
};

/// Each exhibit held against the cases of its operation and dtype, tier by tier, until one finds
/// it; one that no bound finds is held against the relations of the gate.
///
/// Requires  `only` matches the operation of an exhibit
/// Throws    UsageError with the nearest known name
std::vector<Visit> tour(const std::vector<Exhibit>& exhibits, const TourOptions& options);

}  // namespace normproof::verification::golden::museum
