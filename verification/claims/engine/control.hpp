#pragma once

#include <functional>
#include <string>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// Returns the run with a quarter of its cases, but at least 25, for use in controls. Some of these
/// cases may not satisfy what the control is about.
Run with_fewer_cases(const Run& run);

/// Combines the evidence of a claim with two parts that is expected to hold: it holds if both parts
/// hold. The number of cases, and the counterexample if both are refuted, are those of `main`.
Evidence combine_parts(Evidence main, const Evidence& part, const std::string& what);

/// Combines the evidence of a claim that is expected to be refuted with a control that must hold:
/// the statement must be true once the dropped assumption is restored. If `main` is not refuted, it
/// is returned unchanged, since no control may turn it into the expected verdict.
/// Throws    ContractError if the control is refuted
Evidence refute_with_control(Evidence main, const std::function<Evidence()>& control,
                             const std::string& what);

/// Interprets the evidence of the statement "some constant suffices". Each case has its own
/// constant and a history that should violate it. The statement is refuted if every case violates
/// it; otherwise it counts as holding, since a larger constant may suffice.
Evidence refute_every_constant(Evidence evidence);

/// Returns the evidence with a remark added to its detail.
Evidence with_remark(Evidence evidence, const std::string& remark);

}  // namespace normproof::verification::claims::engine
