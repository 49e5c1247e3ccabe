#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <string>
#include <string_view>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::numeric {

/// Returns the clause at the beginning of the name of a test, for example C2 for
/// "C2_RejectsNegativeEps". Returns Clause::none if the name begins with no clause or with several.
inline Clause parse_clause(std::string_view name) {
  if (!name.starts_with('C')) return Clause::none;
  name.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{}) return Clause::none;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  const bool is_one = !name.starts_with("And") && !name.starts_with("to");
  return is_one ? static_cast<Clause>(number) : Clause::none;
}

/// Returns the message of the exception of type Error that f throws, or "no error" if f throws
/// none.
template <class Error, class F>
std::string error_message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Calls f, which must be rejected, and returns the contract violation. If the name of the running
/// test begins with a clause, expects the violation to be of this clause.
template <class F>
ContractViolation contract_violation(F&& f) {
  const Clause clause =
      parse_clause(::testing::UnitTest::GetInstance()->current_test_info()->name());
  try {
    f();
  } catch (const ContractError& error) {
    if (clause != Clause::none) {
      EXPECT_EQ(error.violation().clause, clause) << error.what();
    }
    return error.violation();
  }
  return {.observation = "no error"};
}

/// Returns the message of the ContractError that f throws, or "no error" if f throws none. If the
/// name of the running test begins with a clause, expects the error to be of this clause.
template <class F>
std::string contract_message(F&& f) {
  return ContractError(contract_violation(f)).what();
}

}  // namespace normproof::ref::numeric
