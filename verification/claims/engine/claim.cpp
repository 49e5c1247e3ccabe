#include "verification/claims/engine/claim.hpp"

#include <exception>
#include <utility>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::claims::engine {

Result evaluate(const Claim& claim, Run run) {
  Result result;
  result.id = claim.id;
  run.claim = claim.id;
  result.evidence.seed = run.seed;
  try {
    result.evidence = claim.check(run);
    if (result.evidence.cases == 0)
      result.failure = "claim " + claim.id + ": its check tried no case";
  } catch (const ref::numeric::ContractError& error) {
    result.failure = "claim " + claim.id + ": its check threw: " + sentence(error.violation());
  } catch (const std::exception& error) {
    result.failure = "claim " + claim.id + ": its check threw: " + error.what();
  } catch (...) {
    result.failure = "claim " + claim.id + ": its check threw something that is no exception";
  }
  result.as_expected = result.failure.empty() && result.evidence.observed == claim.expected;
  return result;
}

}  // namespace normproof::verification::claims::engine
