#pragma once

#include <functional>
#include <string>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// Returns the run with a quarter of its cases, but at least 25 cases. The controls of claims use
/// it. Some of the cases may not satisfy the assumptions of a control.
Run reduce_case_count(const Run& run);

/// Combines the evidence of the two parts of a claim that is expected to hold. The claim holds if
/// both parts hold. The result has the number of cases of `main`. If both parts are refuted, it
/// also has the counterexample of `main`.
Evidence combine_parts(Evidence main, const Evidence& part, const std::string& what);

/// Combines the evidence `main` of a claim that is expected to be refuted with the evidence of its
/// control. The control checks the statement with the dropped assumption restored, and must hold.
/// If `main` is not refuted, returns it unchanged and does not run the control.
/// Throws    ContractError if the control is refuted
Evidence refute_with_control(Evidence main, const std::function<Evidence()>& control,
                             const std::string& what);

/// Converts the evidence of the statement "some constant is a bound". Each case draws its own
/// constant, and a sequence of training steps in which the bounded quantity should exceed this
/// constant. The statement counts as refuted if the quantity exceeds the constant in every case.
/// Otherwise it counts as holding, because a larger constant may be a bound.
Evidence refute_every_constant(Evidence evidence);

/// Returns the evidence with a remark added to its detail text.
Evidence add_remark(Evidence evidence, const std::string& remark);

}  // namespace normproof::verification::claims::engine
