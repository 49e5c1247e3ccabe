#pragma once

#include <string>
#include <string_view>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

/// A function of one `double`, correctly rounded.
enum class ElementaryFunction { exp, log, tanh, erf, sqrt };

struct ElementaryCommand {
  static constexpr const char* name = "elementary";
  static constexpr const char* summary =
      "Print exp, log, tanh, erf or sqrt of numbers, correctly rounded";

  ElementaryFunction function = ElementaryFunction::exp;

  void add(CLI::App& app);

  /// Evaluates the lines of standard input with elementary_lines.
  Output run() const;
};

/// Evaluates a function at each line of the input.
///
/// Computes  one line per input line. An input line is a number in decimal or hexadecimal notation,
///           inf or nan; the output is the function's value as a hexadecimal number, inf, -inf or
///           nan
/// Throws    FileError naming the line and its text if it is not a `double`, which includes numbers
///           that overflow or underflow; FileError if there is no line at all
std::string elementary_lines(ElementaryFunction function, std::string_view input);

}  // namespace normproof::verification::cli::tools
