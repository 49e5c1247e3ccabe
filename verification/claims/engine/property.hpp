#pragma once

// These headers come first. Only RapidCheck's generators and shrinking are used. rapidcheck.h is
// not included, because of its compile time and its static state.
#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>
#include <rapidcheck/shrinkable/Transform.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::engine {

/// The result of checking a claim's statement on one case.
struct Judgement {
  enum class Outcome { held, violated, discarded };
  Outcome outcome = Outcome::violated;
  double attained = 0;  ///< error / bound: above 1 if violated; never NaN
};

/// Judges whether error <= bound. `attained` is error / bound, or 0 if error <= 0. A NaN is a
/// violation with infinite `attained`.
Judgement within(double error, double bound);
Judgement within(const oracle50& error, const oracle50& bound);
/// Judges a statement that is only true or false.
Judgement judge_condition(bool holds);
/// The judgement of a case that does not satisfy the claim's assumptions. Another case replaces it.
Judgement discarded();
/// Returns the worse of two judgements of one case. If one of them is discarded, the result is
/// discarded.
Judgement worse_judgement(const Judgement& a, const Judgement& b);

/// A statement about every case of a generator. `cases` generates the cases, `judge` checks the
/// statement on one case. Example:
///
///   Claim b5() {
///     return {.id = "B5", .title = "...", ..., .expected = Verdict::holds,
///             .check = [](const Run& run) {
///               return examine(run, Property<Batch>{
///                 .cases = batches({.rows = {1, 12}, .features = {1, 3}}),   // generators.hpp
///                 .judge = [&](const Batch& b) {
///                   auto step = run.subject.step<oracle50>(BatchNormOptions{},
///                                                          b.inputs<oracle50>());
///                   return within(abs(lhs - rhs), bound);
///                 },
///                 .describe = [&](const Batch& b) { return fmt::format("x = {}", ...); },
///                 .worst_meaning = "|lhs - rhs| / bound of rounding at 50 digits"});
///             }};
///   }
template <class Case>
struct Property {
  rc::Gen<Case> cases;
  std::function<Judgement(const Case&)> judge;
  std::function<std::string(const Case&)> describe;  ///< returns the case and both sides in numbers
  std::string worst_meaning;
};

/// Returns the random numbers for the case with this index. They depend only on seed, claim and
/// index.
rc::Random make_case_random(const Run& run, std::size_t index);

/// A case whose type is erased, so that the code that runs checks need not be a template.
using AnyCase = std::shared_ptr<const void>;
Evidence examine_any_case(const Run& run, const Property<AnyCase>& property);

/// Checks a property on run.cases cases of growing size, counts the violations and shrinks the
/// first one as far as `run` requests. Discarded cases do not count. The verdict is `refuted` if at
/// least one case violates the property.
/// Throws    ContractError if run.cases is 0, or if 10 cases are discarded for each case tried; any
///           exception of judge
template <class Case>
Evidence examine(const Run& run, const Property<Case>& property) {
  const auto typed = [](const AnyCase& c) -> const Case& {
    return *static_cast<const Case*>(c.get());
  };
  Property<AnyCase> any{
      .cases = rc::Gen<AnyCase>([cases = property.cases](const rc::Random& random, int size) {
        return rc::shrinkable::map(cases(random, size), [](Case&& c) {
          return AnyCase(std::make_shared<const Case>(std::move(c)));
        });
      }),
      .judge = [&](const AnyCase& c) { return property.judge(typed(c)); },
      .describe = [&](const AnyCase& c) { return property.describe(typed(c)); },
      .worst_meaning = property.worst_meaning};
  return examine_any_case(run, any);
}

}  // namespace normproof::verification::claims::engine
