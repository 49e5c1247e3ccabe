#include "verification/cli/tools/elementary.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>
#include <vector>

#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/hexadecimal.hpp"
#include "ref/numeric/square_root.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/process/lines.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::tools {

using support::report::clean_line;
using support::report::cut;

namespace {

namespace numeric = ref::numeric;

constexpr std::string_view kBlankCharacters = " \t\r";

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlankCharacters);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlankCharacters) - first + 1);
}

// Parses a number as strtod does in the C locale. Returns nothing if the number overflows or
// underflows as a double.
std::optional<double> parse_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  if (text.empty() || text.front() == '-') return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(
      text.data(), end, value, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error != std::errc{} || stop != end || (hexadecimal && !(value - value == 0)))
    return std::nullopt;
  return negative ? -value : value;
}

void apply(ElementaryFunction function, std::vector<double>& x) {
  switch (function) {
    case ElementaryFunction::exp:
      return numeric::exp(x.data(), x.size(), x.data());
    case ElementaryFunction::log:
      return numeric::log(x.data(), x.size(), x.data());
    case ElementaryFunction::tanh:
      return numeric::tanh(x.data(), x.size(), x.data());
    case ElementaryFunction::erf:
      return numeric::erf(x.data(), x.size(), x.data());
    case ElementaryFunction::sqrt:
      for (double& v : x) v = numeric::square_root(v);
  }
}

}  // namespace

void ElementaryCommand::add(CLI::App& app) {
  require(add_choice_option(app, "FUNCTION", function,
                            {{"exp", ElementaryFunction::exp},
                             {"log", ElementaryFunction::log},
                             {"tanh", ElementaryFunction::tanh},
                             {"erf", ElementaryFunction::erf},
                             {"sqrt", ElementaryFunction::sqrt}},
                            "exp, log, tanh, erf or sqrt"));
  set_footer(
      app,
      R"(Reads one number per line from standard input (hexadecimal such as 0x1.8p+0, decimal, inf, nan).
Prints for each, on its own line, the double nearest to the function's value as a hexadecimal
number. Ties go to even.

Examples:
  normproof elementary exp < numbers.txt
  printf '%s\n' 0x1p-1 -inf | normproof elementary tanh)");
}

Output ElementaryCommand::run() const {
  return printed(elementary_lines(function, read_stdin()));
}

std::string elementary_lines(ElementaryFunction function, std::string_view input) {
  std::vector<double> values;
  for (const support::process::Line& line : support::process::split_lines(input)) {
    const std::optional<double> value = parse_double(trim_blanks(line.text));
    if (!value) {
      throw numeric::FileError(fmt::format(
          "standard input, line {}: '{}' is no double; expected a number in its range, such as "
          "0x1.8p+0, 1.5, inf or nan",
          line.number, cut(clean_line(line.text), 60)));
    }
    values.push_back(*value);
  }
  if (values.empty()) throw numeric::FileError("standard input is empty; expected a number a line");
  apply(function, values);
  std::string text;
  for (const double y : values) {
    text += ref::numeric::hexadecimal(y) + "\n";
  }
  return text;
}

}  // namespace normproof::verification::cli::tools
