#include "verification/claims/engine/power.hpp"

#include <cmath>
#include <limits>

namespace normproof::verification::claims::engine {

double smallest_rejected_error(const Claim& claim, const InjectedError& planted, Run run) {
  constexpr int kSmallestErrorExponent = 400, kCoarse = 40, kHalvings = 3;
  run.shrinks = false;
  run.stops_at_violation = claim.expected == Verdict::holds;
  const auto rejects = [&](double delta) {
    run.subject = planted.at(delta);
    return !evaluate(claim, run).as_expected;
  };
  if (!rejects(1)) return std::numeric_limits<double>::infinity();
  int seen = 0, unseen = kSmallestErrorExponent;
  while (unseen - seen > 1) {
    const int between = (seen + unseen) / 2;
    (rejects(std::ldexp(1.0, -between)) ? seen : unseen) = between;
  }
  double least = std::ldexp(1.0, -seen), below = least / 2;
  for (int i = 0; i < kHalvings && seen < kCoarse; ++i) {
    const double between = (least + below) / 2;
    (rejects(between) ? least : below) = between;
  }
  return least;
}

}  // namespace normproof::verification::claims::engine
