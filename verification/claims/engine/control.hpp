#pragma once

#include <functional>
#include <string>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// A quarter of the cases, and 25 at least, for controls: a few may not meet what they are about.
Run fewer(const Run& run);

/// The evidence of a claim of two parts that is expected to hold: it holds where both do. The
/// cases, and the counterexample where both are refuted, are those of main.
Evidence held_beside(Evidence main, const Evidence& part, const std::string& what);

/// The evidence of a claim that is expected to be refuted, beside a control that must hold: that
/// the statement is true once the dropped assumption is back. Where `main` is not refuted it stays
/// as it is: no control may turn it into the verdict expected.
/// Throws    ContractError where the control is refuted
Evidence refuted_beside(Evidence main, const std::function<Evidence()>& control,
                        const std::string& what);

/// The evidence of "some constant does", each case of which has a constant of its own and the
/// history that is to break it: refuted where every case violates it. Where some do not, it holds:
/// a larger constant may do.
Evidence refuted_for_each(Evidence evidence);

/// Adds a remark to the detail.
Evidence remarked(Evidence evidence, const std::string& remark);

}  // namespace normproof::verification::claims::engine
