#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::numeric {

/// A requirement (Cn) of a contract comment; none of one that no comment numbers.
enum class Clause { none, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16 };

/// How a caller broke a contract.
struct Breach {
  std::string function = {};     ///< "layer_norm"
  std::string argument = {};     ///< "gamma"
  std::string observation = {};  ///< "has shape [4]"
  std::string expectation = {};  ///< "shape [5]"
  Clause clause = Clause::none;
  std::string place = {};  ///< where in a larger whole, "attention in sentence 3"; or empty

  bool operator==(const Breach&) const = default;
};

/// Computes  "<place>: <function>: <argument> <observation>; expected <expectation>", without what
///           is empty. The clause is for readers of the contract and does not show.
std::string sentence(const Breach& breach);

/// A caller broke a requirement of a contract comment. what() is the sentence of the breach,
/// followed by its clause, " (C2)", where it has one. Nothing decides by that text.
class ContractError : public std::invalid_argument {
 public:
  explicit ContractError(Breach breach);
  const Breach& breach() const { return breach_; }

 private:
  Breach breach_;
};

/// A caller gave a value that is infinite or NaN, or that makes a result so.
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

/// Throws    ContractError of the breach; a NaN in the observation loses its sign, which is the
///           processor's
[[noreturn]] void contract_failure(std::string_view function, std::string_view argument,
                                   std::string_view observation, std::string_view expectation,
                                   Clause clause = Clause::none);

/// Throws    NotFiniteError, likewise
[[noreturn]] void not_finite_failure(std::string_view function, std::string_view argument,
                                     std::string_view observation, std::string_view expectation,
                                     Clause clause = Clause::none);

/// "unknown <kind> '<name>'; did you mean '<nearest of known>'? known: a, b, c"; the question only
/// where the nearest is near: half of the letters right, or those that it begins with.
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace normproof::ref::numeric
