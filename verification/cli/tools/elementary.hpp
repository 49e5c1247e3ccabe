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

  /// Answers the lines of standard input: see elementary_lines.
  Output run() const;
};

/// Computes  for each line of the input, a number in decimal or hexadecimal notation or inf or nan,
///           the value of the function there as a hexadecimal number, inf, -inf or nan, a line each
/// Throws    FileError naming the line and its text where it is no `double` (beyond the largest or
///           below the least is none either), and where there is no line at all
std::string elementary_lines(ElementaryFunction function, std::string_view input);

}  // namespace normproof::verification::cli::tools
