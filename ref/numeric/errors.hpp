#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::numeric {

/// A caller broke a requirement (Cn) of a contract comment. The message is one sentence that names
/// the function, the argument and the expectation.
class ContractError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// So did a value: it is infinite or NaN, or makes a result so.
class NotFiniteError : public ContractError {
 public:
  using ContractError::ContractError;
};

/// A name or a value on the command line or in a configuration is not known.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file is absent, empty, truncated, altered or not of the format it claims; or cannot be
/// written.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Computes  the sentence "<function>: <argument> <observation>; expected <expectation>" and throws
///           it as a ContractError.
[[noreturn]] void contract_failure(std::string_view function, std::string_view argument,
                                   std::string_view observation, std::string_view expectation);

/// The same as a NotFiniteError.
[[noreturn]] void not_finite_failure(std::string_view function, std::string_view argument,
                                     std::string_view observation, std::string_view expectation);

/// "unknown <kind> '<name>'; did you mean '<nearest of known>'? known: a, b, c"
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace normproof::ref::numeric
