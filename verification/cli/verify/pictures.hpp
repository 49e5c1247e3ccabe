#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::verify {

using support::report::Drawing;

/// The pictures of the HTML report. gnuplot draws each picture. The plotted numbers are part of the
/// gnuplot script.

/// Draws, for each claim, the largest ratio of error to bound.
Drawing slack_picture(const Report& report);

/// Draws, for each training step, how far the statistics of the batch are from the running
/// statistics. Also draws which fraction of the positions in each batch is padding.
Drawing fluctuation_picture(const Report& report);

/// Draws two numbers of every PowerNorm layer over the training steps: theta = (1 - alpha) Gamma,
/// and the absolute value of the moving average nu. Each number is the maximum over the channels.
Drawing recursion_picture(const Report& report);

/// Draws the absolute value of PowerNorm's moving average nu, for a channel that is active only in
/// every K-th batch.
Drawing nu_picture(const Report& report);

/// Return the gnuplot scripts of the pictures.
std::string slack_script(const Report& report);
std::string fluctuation_script(const Report& report);
std::string recursion_script(const Report& report);
std::string nu_script(const Report& report);

}  // namespace normproof::verification::cli::verify
