#pragma once

#include <string_view>

namespace normproof::verification::determinism {

/// The text of verification/determinism/expected.json, which the build embeds in expected.cpp.
extern const std::string_view kExpectedJson;

}  // namespace normproof::verification::determinism
