#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::verify {

using support::report::Drawing;

/// The pictures of the HTML report. Each is drawn by gnuplot from numbers in its script alone.

/// Worst share of its bound, claim by claim.
Drawing slack_picture(const Report& report);

/// Distance of the batches' statistics from the running ones, step by step; and the padding.
Drawing fluctuation_picture(const Report& report);

/// theta and |nu| of every PowerNorm, step by step.
Drawing recursion_picture(const Report& report);

/// |nu| of a channel that is active once every K batches.
Drawing nu_picture(const Report& report);

/// The scripts of the same.
std::string slack_script(const Report& report);
std::string fluctuation_script(const Report& report);
std::string recursion_script(const Report& report);
std::string nu_script(const Report& report);

}  // namespace normproof::verification::cli::verify
