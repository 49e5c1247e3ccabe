#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::verify {

using support::report::Drawing;

/// The pictures of the HTML report. gnuplot draws each from numbers inside its script.

/// Draws the worst ratio of error to bound of each claim.
Drawing slack_picture(const Report& report);

/// Draws the distance of the batches' statistics from the running ones, step by step, and the
/// padding.
Drawing fluctuation_picture(const Report& report);

/// Draws theta and |nu| of every PowerNorm, step by step.
Drawing recursion_picture(const Report& report);

/// Draws |nu| of a channel that is active once in every K batches.
Drawing nu_picture(const Report& report);

/// Return the scripts of these pictures.
std::string slack_script(const Report& report);
std::string fluctuation_script(const Report& report);
std::string recursion_script(const Report& report);
std::string nu_script(const Report& report);

}  // namespace normproof::verification::cli::verify
