#pragma once

#include <functional>
#include <string>

#include "verification/golden/candidate/candidate.hpp"

namespace normproof::verification::golden::candidate {

/// A program is given up after this many consecutive starts in which it prints no line. Starts that
/// end by a signal count less (from_program).
inline constexpr int kMaxRestarts = 3;

/// Runs `command` as the candidate (docs/guide/formats.md, Golden) and restarts it when it ends.
/// The program is given up after `max_restarts` consecutive starts that exit or hang for `seconds`
/// without printing a line. If signals end them, the limit is 8 times as high, plus one for each
/// case that it has answered. When the candidate is no longer needed, `on_standard_error` is called
/// with the last 64 KiB of its standard error, if there is any; it must not throw.
Candidate from_program(const std::string& command, double seconds, int max_restarts = kMaxRestarts,
                       std::function<void(const std::string& last)> on_standard_error = {});

}  // namespace normproof::verification::golden::candidate
