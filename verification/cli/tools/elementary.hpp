#pragma once

#include <string>
#include <string_view>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

/// The elementary functions that the command can evaluate. Their results are correctly rounded.
enum class ElementaryFunction { exp, log, tanh, erf, sqrt };

struct ElementaryCommand {
  static constexpr const char* name = "elementary";
  static constexpr const char* summary =
      "Print exp, log, tanh, erf or sqrt of numbers, correctly rounded";

  ElementaryFunction function = ElementaryFunction::exp;

  void add(CLI::App& app);

  /// Reads standard input and prints the result of elementary_lines() for it.
  Output run() const;
};

/// Evaluates a function at each number of the input.
///
/// Computes  one output line per input line. An input line is a number in decimal or hexadecimal
///           notation, or inf or nan. The output line is the function's value: a hexadecimal
///           number, inf, -inf or nan
/// Throws    FileError naming the line and its text if the text is not a `double`, which includes
///           numbers that overflow or underflow; FileError if there is no line at all
std::string elementary_lines(ElementaryFunction function, std::string_view input);

}  // namespace normproof::verification::cli::tools
