#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::numeric {

/// The clause that the name of the running test begins with: C2 of "C2EpsIsBelowZero"; none where
/// it begins with none, or with several.
inline Clause clause_of_test() {
  static const std::regex one(R"(C(\d+)(?!And|to)(?!\d).*)");
  const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::smatch match;
  return std::regex_match(name, match, one) ? static_cast<Clause>(std::stoi(match[1]))
                                            : Clause::none;
}

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

/// The breach that f is refused for. Where the name of the running test begins with a clause, it
/// has to be a breach of that.
template <class F>
Breach contract_breach(F&& f) {
  const Clause clause = clause_of_test();
  try {
    f();
  } catch (const ContractError& error) {
    if (clause != Clause::none) {
      EXPECT_EQ(error.breach().clause, clause) << error.what();
    }
    return error.breach();
  }
  return {.observation = "no error"};
}

/// Likewise what the error says.
template <class F>
std::string contract_message(F&& f) {
  return ContractError(contract_breach(f)).what();
}

}  // namespace normproof::ref::numeric
