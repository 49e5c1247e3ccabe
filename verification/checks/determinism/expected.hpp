#pragma once

#include <string_view>

namespace normproof::verification::checks::determinism {

/// The text of verification/checks/determinism/expected.json, which the build embeds in
/// expected.cpp.
extern const std::string_view kExpectedJson;

}  // namespace normproof::verification::checks::determinism
