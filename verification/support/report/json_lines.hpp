#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Computes  an object a check and line: its properties and those of its suite, "outcome" in the
///           command's own word,
///           "findings" (the sentences) and, where it has one, "repro"
std::string json_lines(const Checks& checks);

}  // namespace normproof::verification::support::report
