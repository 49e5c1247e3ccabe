#pragma once

#include <string_view>

namespace normproof::verification::checks::determinism {

/// The text of verification/checks/determinism/expected.json: the build makes expected.cpp of it.
extern const std::string_view kExpectedJson;

}  // namespace normproof::verification::checks::determinism
