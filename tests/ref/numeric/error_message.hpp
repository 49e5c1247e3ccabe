#pragma once

#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::numeric {

/// The sentence of the Error that f throws, or "no error".
template <class Error, class F>
std::string error_message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class F>
std::string contract_message(F&& f) {
  return error_message<ContractError>(f);
}

}  // namespace normproof::ref::numeric
