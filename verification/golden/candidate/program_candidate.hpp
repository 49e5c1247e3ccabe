#pragma once

#include <functional>
#include <string>

#include "verification/golden/candidate/candidate.hpp"

namespace normproof::verification::golden::candidate {

/// A candidate program is given up after this number of consecutive starts without a line of
/// output. If a signal ends the program, the start counts less (see make_program_candidate).
inline constexpr int kMaxRestarts = 3;

/// Returns a candidate that runs the program `command` (docs/guide/formats.md, Golden) and restarts
/// it when it ends.
///
/// The program is given up after `max_restarts` consecutive starts in which it exits, or hangs for
/// `seconds`, without printing a line. For starts in which a signal ends the program, the limit is
/// `8 max_restarts` plus the number of lines that the program has returned so far.
///
/// When the candidate is destroyed, it calls `on_standard_error` with the last 64 KiB that the
/// program printed on standard error, unless the program printed nothing there. `on_standard_error`
/// must not throw.
Candidate make_program_candidate(
    const std::string& command, double seconds, int max_restarts = kMaxRestarts,
    std::function<void(const std::string& last)> on_standard_error = {});

}  // namespace normproof::verification::golden::candidate
