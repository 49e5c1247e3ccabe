#include "ref/numeric/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace normproof::ref::numeric {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitution, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// Returns the name without leading dashes, such as "eps" for "--eps". The dashes are removed
/// because all options begin with them, which would make different names look similar.
std::string_view remove_leading_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

/// Returns two numbers that order the known names by similarity to `name`: the edit distance, and
/// the length of the known name, which breaks ties. If the known name begins with `name`, the
/// distance is 0.
std::pair<std::size_t, std::size_t> name_distance(std::string_view name, std::string_view known) {
  name = remove_leading_dashes(name);
  known = remove_leading_dashes(known);
  const bool begins = !name.empty() && known.starts_with(name);
  return {begins ? 0 : edit_distance(name, known), known.size()};
}

/// Whether the known name is similar enough to `name` to be suggested: half of the letters of the
/// longer name agree, or the known name begins with `name`.
bool is_close_name(std::string_view name, std::string_view known) {
  return 2 * name_distance(name, known).first <=
         std::max(remove_leading_dashes(name).size(), remove_leading_dashes(known).size()) + 1;
}

/// Removes the sign of every NaN in the text, because the sign depends on the processor. The text
/// is part of an error message, and may contain numbers of any scalar type.
std::string remove_nan_signs(std::string_view text) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find("-nan", at)) != std::string::npos;)
    result.erase(at, 1);
  return result;
}

ContractViolation make_violation(std::string_view function, std::string_view argument,
                                 std::string_view observation, std::string_view expectation,
                                 Clause clause) {
  return {.function = std::string(function),
          .argument = std::string(argument),
          .observation = remove_nan_signs(observation),
          .expectation = std::string(expectation),
          .clause = clause};
}

std::string sentence_with_clause(const ContractViolation& violation) {
  if (violation.clause == Clause::none) return sentence(violation);
  return fmt::format("{} (C{})", sentence(violation), static_cast<int>(violation.clause));
}

}  // namespace

std::string sentence(const ContractViolation& violation) {
  std::string text;
  for (const std::string& whole : {violation.place, violation.function})
    if (!whole.empty()) text += whole + ": ";
  if (!violation.argument.empty()) text += violation.argument + " ";
  text += violation.observation;
  if (!violation.expectation.empty()) text += "; expected " + violation.expectation;
  return text;
}

ContractError::ContractError(ContractViolation violation)
    : std::invalid_argument(sentence_with_clause(violation)), violation_(std::move(violation)) {}

void contract_failure(std::string_view function, std::string_view argument,
                      std::string_view observation, std::string_view expectation, Clause clause) {
  throw ContractError(make_violation(function, argument, observation, expectation, clause));
}

void not_finite_failure(std::string_view function, std::string_view argument,
                        std::string_view observation, std::string_view expectation, Clause clause) {
  throw NotFiniteError(make_violation(function, argument, observation, expectation, clause));
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known) {
  if (known.empty()) return fmt::format("unknown {} '{}'; none is known here", kind, name);
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
    return name_distance(name, a) < name_distance(name, b);
  });
  if (!is_close_name(name, *nearest))
    return fmt::format("unknown {} '{}'; known: {}", kind, name, fmt::join(known, ", "));
  return fmt::format("unknown {} '{}'; did you mean '{}'? known: {}", kind, name, *nearest,
                     fmt::join(known, ", "));
}

}  // namespace normproof::ref::numeric
