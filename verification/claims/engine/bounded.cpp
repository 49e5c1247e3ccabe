#include "verification/claims/engine/bounded.hpp"

#include <cmath>

#include "ref/numeric/elementary.hpp"

namespace normproof::verification::claims::engine {

namespace {

/// Returns a bound of the combined rounding error of a and b. Rejects an infinite bound, because it
/// would accept any pair of numbers.
oracle50 combined_error(const Bounded& a, const Bounded& b) {
  oracle50 error = a.error + b.error;
  if (!ref::numeric::is_finite(error))
    ref::numeric::contract_failure("Bounded", "the bound of rounding", "is not finite",
                                   "a finite one");
  return error;
}

}  // namespace

Judgement agree(const Bounded& a, const Bounded& b) {
  return within(oracle50(abs(oracle50(a.value - b.value))), combined_error(a, b));
}

Judgement agree(const std::vector<Bounded>& a, const std::vector<Bounded>& b) {
  Judgement result = judge_condition(a.size() == b.size());
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    result = worse_judgement(result, agree(a[i], b[i]));
  return result;
}

Judgement at_most(const Bounded& a, const Bounded& b) {
  const Judgement judged = within(oracle50(a.value - b.value), combined_error(a, b));
  const bool held = judged.outcome == Judgement::Outcome::held;
  const double share = b.value > 0 ? static_cast<double>(oracle50(a.value / b.value)) : 0;
  if (held) return {judged.outcome, std::clamp(share, 0.0, 1.0)};
  return {judged.outcome, share > 1 ? share : std::nextafter(1.0, 2.0)};
}

}  // namespace normproof::verification::claims::engine
