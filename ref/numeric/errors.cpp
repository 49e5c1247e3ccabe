#include "ref/numeric/errors.hpp"

#include <fmt/format.h>

namespace normproof::ref::numeric {

void contract_failure(std::string_view function, std::string_view argument,
                      std::string_view observation, std::string_view expectation) {
  throw ContractError(
      fmt::format("{}: {} {}; expected {}", function, argument, observation, expectation));
}

}  // namespace normproof::ref::numeric
