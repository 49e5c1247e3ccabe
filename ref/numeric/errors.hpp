#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::numeric {

/// The number of the violated requirement: (C1), (C2), ... in the comment of the function. The
/// value is `none` if the requirement has no number.
enum class Clause { none, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16 };

/// Describes how a caller violated a requirement of a function.
struct ContractViolation {
  std::string function = {};     ///< "layer_norm"
  std::string argument = {};     ///< "gamma"
  std::string observation = {};  ///< "has shape [4]"
  std::string expectation = {};  ///< "shape [5]"
  Clause clause = Clause::none;
  std::string place = {};  ///< where it happened, such as "attention in sentence 3", or empty

  bool operator==(const ContractViolation&) const = default;
};

/// Returns the error message "<place>: <function>: <argument> <observation>; expected
/// <expectation>" without the empty parts. The clause is not part of the message.
std::string sentence(const ContractViolation& violation);

/// Thrown if a caller violates a requirement that the comment of a function states. what() returns
/// the sentence of the violation, followed by its clause, such as " (C2)", if it has one. The
/// program never decides anything by that text.
class ContractError : public std::invalid_argument {
 public:
  explicit ContractError(ContractViolation violation);
  const ContractViolation& violation() const { return violation_; }

 private:
  ContractViolation violation_;
};

/// Thrown if a caller passes an infinite value or NaN, or values for which a result would be
/// infinite or NaN.
class NotFiniteError : public ContractError {
 public:
  using ContractError::ContractError;
};

/// Thrown if a name or value on the command line or in a configuration is unknown.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Thrown if a file is absent, empty, truncated, altered or not in its declared format, or if it
/// cannot be written.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws a ContractError that has these fields. A NaN in the observation is printed without its
/// sign, because the sign depends on the processor.
/// Throws    ContractError
[[noreturn]] void contract_failure(std::string_view function, std::string_view argument,
                                   std::string_view observation, std::string_view expectation,
                                   Clause clause = Clause::none);

/// Throws a NotFiniteError that has these fields. A NaN in the observation is printed without its
/// sign, because the sign depends on the processor.
/// Throws    NotFiniteError
[[noreturn]] void not_finite_failure(std::string_view function, std::string_view argument,
                                     std::string_view observation, std::string_view expectation,
                                     Clause clause = Clause::none);

/// Returns the error message "unknown <kind> '<name>'; did you mean '<nearest of known>'? known: a,
/// b, c". The question is included only if the nearest known name is close: half of its letters
/// agree, or it begins with `name`.
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace normproof::ref::numeric
