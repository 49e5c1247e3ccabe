#include "verification/claims/engine/property.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace normproof::verification::claims::engine {

namespace {

// Returns a judgement whose `attained` is above 1 if the case violates the statement, even if
// rounding or a NaN gave a smaller value.
Judgement judged(bool holds, double share) {
  if (holds) return {Judgement::Outcome::held, std::min(share, 1.0)};
  if (std::isnan(share)) share = std::numeric_limits<double>::infinity();
  return {Judgement::Outcome::violated,
          std::max(share, 1 + std::numeric_limits<double>::epsilon())};
}

}  // namespace

Judgement within(double error, double bound) {
  const bool holds = error <= bound;
  return judged(holds, error <= 0 && holds ? 0 : error / bound);
}

Judgement within(const oracle50& error, const oracle50& bound) {
  const bool holds = error <= bound;
  return judged(holds, error <= 0 && holds ? 0 : static_cast<double>(oracle50(error / bound)));
}

Judgement judge_condition(bool holds) {
  return {holds ? Judgement::Outcome::held : Judgement::Outcome::violated,
          holds ? 0.0 : std::numeric_limits<double>::infinity()};
}

Judgement discarded() {
  return {Judgement::Outcome::discarded, 0};
}

Judgement worse_judgement(const Judgement& a, const Judgement& b) {
  using Outcome = Judgement::Outcome;
  if (a.outcome == Outcome::discarded || b.outcome == Outcome::discarded) return discarded();
  const bool held = a.outcome == Outcome::held && b.outcome == Outcome::held;
  return {held ? Outcome::held : Outcome::violated, std::max(a.attained, b.attained)};
}

rc::Random make_case_random(const Run& run, std::size_t index) {
  std::uint64_t name = 0xcbf29ce484222325;  // FNV-1a hash
  for (const char c : run.claim) name = (name ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return rc::Random(rc::Random::Key{run.seed, name, index, 0});
}

namespace {

// Shrinks a violating case until none of its direct shrinks violates the property. It searches like
// RapidCheck's shrinkable::findLocalMin, with at most `kMaxShrinks` evaluations.
AnyCase shrink_violation(const rc::Shrinkable<AnyCase>& violation,
                         const Property<AnyCase>& property) {
  constexpr int kMaxShrinks = 4000;
  const auto violates = [&](const AnyCase& c) {
    try {
      return property.judge(c).outcome == Judgement::Outcome::violated;
    } catch (const ref::numeric::ContractError&) {
      return false;  // the shrunk case violates a contract
    }
  };
  AnyCase least = violation.value();
  rc::Seq<rc::Shrinkable<AnyCase>> shrinks = violation.shrinks();
  for (int judged = 0; judged < kMaxShrinks; ++judged) {
    const rc::Maybe<rc::Shrinkable<AnyCase>> shrink = shrinks.next();
    if (!shrink) break;
    const AnyCase candidate = shrink->value();
    if (!violates(candidate)) continue;
    least = candidate;
    shrinks = shrink->shrinks();
  }
  return least;
}

}  // namespace

Evidence examine_any_case(const Run& run, const Property<AnyCase>& property) {
  using Outcome = Judgement::Outcome;
  if (run.cases == 0)
    ref::numeric::contract_failure("claim " + run.claim, "cases", "is 0", "1 or more");
  Evidence evidence;
  evidence.seed = run.seed;
  evidence.worst_meaning = property.worst_meaning;
  std::optional<rc::Shrinkable<AnyCase>> first;
  std::size_t discards = 0;
  for (std::size_t index = 0; evidence.cases < run.cases; ++index) {
    const int size = 1 + static_cast<int>(evidence.cases * rc::kNominalSize / run.cases);
    const rc::Shrinkable<AnyCase> generated = property.cases(make_case_random(run, index), size);
    const Judgement judgement = property.judge(generated.value());
    if (judgement.outcome == Outcome::discarded) {
      if (++discards > 10 * (evidence.cases + 10))
        ref::numeric::contract_failure("claim " + run.claim, "its generator",
                                       "misses the premises too often", "cases that meet them");
      continue;
    }
    ++evidence.cases;
    evidence.worst = std::max(evidence.worst, judgement.attained);
    if (judgement.outcome == Outcome::violated) {
      ++evidence.violations;
      if (!first) first = generated;
      if (run.stops_at_violation) break;
    }
  }
  evidence.observed = evidence.violations == 0 ? Verdict::holds : Verdict::refuted;
  if (first)
    evidence.counterexample =
        property.describe(run.shrinks ? shrink_violation(*first, property) : first->value());
  return evidence;
}

}  // namespace normproof::verification::claims::engine
