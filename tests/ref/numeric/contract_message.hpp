#pragma once

#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::numeric {

/// The sentence of the ContractError that f throws, or "no error".
template <class F>
std::string contract_message(F&& f) {
  try {
    f();
  } catch (const ContractError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace normproof::ref::numeric
