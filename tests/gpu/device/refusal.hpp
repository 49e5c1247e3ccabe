#pragma once

#include <functional>
#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::gpu {

inline constexpr auto kNoError = "nothing is refused";

/// Returns the message of the ContractError that f throws, or kNoError if f throws none.
inline std::string refusal_message(const std::function<void()>& f) {
  try {
    f();
  } catch (const ref::numeric::ContractError& error) {
    return error.what();
  }
  return kNoError;
}

}  // namespace normproof::gpu
