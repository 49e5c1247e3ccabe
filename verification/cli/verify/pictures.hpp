#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::verify {

using support::report::Drawing;

/// The pictures of the HTML report. gnuplot draws each of them. The numbers are part of its script.

/// Draws, for each claim, the largest ratio of error to bound.
Drawing slack_picture(const Report& report);

/// Draws, for each training step, how far the statistics of the batch are from the running
/// statistics. Also draws the fraction of padding.
Drawing fluctuation_picture(const Report& report);

/// Draws theta and |nu| of every PowerNorm layer over the training steps.
Drawing recursion_picture(const Report& report);

/// Draws |nu| of PowerNorm for a channel that is active only in every K-th batch.
Drawing nu_picture(const Report& report);

/// Return the gnuplot scripts of the pictures.
std::string slack_script(const Report& report);
std::string fluctuation_script(const Report& report);
std::string recursion_script(const Report& report);
std::string nu_script(const Report& report);

}  // namespace normproof::verification::cli::verify
