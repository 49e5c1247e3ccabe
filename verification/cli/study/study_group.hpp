#pragma once

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::study {

/// Returns the group `study` of the program: commands that list, run and report the studies.
Command study_group();

}  // namespace normproof::verification::cli::study
