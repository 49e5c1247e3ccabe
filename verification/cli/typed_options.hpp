#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "verification/cli/options.hpp"

namespace normproof::verification::cli {

template <class Number>
Number parse_number(std::string_view option, const std::string& text, Number minimum,
                    Number maximum) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < minimum || number > maximum) {
    throw ref::numeric::UsageError(fmt::format("{} is '{}'; expected a whole number from {} to {}",
                                               option, text, minimum, maximum));
  }
  return number;
}

template <class Field>
struct OptionValueType {
  using type = Field;
};
template <class Value>
struct OptionValueType<std::optional<Value>> {
  using type = Value;
};

/// Adds an option with one value. `parse` converts a text to the value, and `print` converts the
/// value to a text. The member `field` may be a std::optional.
template <class Field, class Parse, class Print>
CLI::Option* add_value_option(CLI::App& app, const std::string& name, Field& field, Parse parse,
                              Print print, const std::string& help, const std::string& type) {
  const auto write = [&field, print]() -> Texts {
    if constexpr (std::is_same_v<typename OptionValueType<Field>::type, Field>)
      return {std::string(print(field))};
    else
      return field ? Texts{std::string(print(*field))} : Texts();
  };
  return add_bound_option(
      app, name, {[&field, parse](const Texts& given) { field = parse(given.front()); }, write},
      help, type);
}

/// Adds an option whose value is an integer from `minimum` to `maximum`.
template <class Field, class Number = typename OptionValueType<Field>::type>
CLI::Option* add_number_option(CLI::App& app, const std::string& name, Field& field,
                               std::type_identity_t<Number> minimum,
                               std::type_identity_t<Number> maximum, const std::string& help,
                               const std::string& type = "N") {
  return add_value_option(
      app, name, field,
      [=](const std::string& text) { return parse_number<Number>(name, text, minimum, maximum); },
      [](Number number) { return fmt::format("{}", number); }, help, type);
}

/// Adds an option whose value has a name. The argument `of` is a function that converts a name to
/// the value and rejects unknown names. The function to_string converts the value to its name.
template <class Field, class Of>
CLI::Option* add_named_value_option(CLI::App& app, const std::string& name, Field& field, Of of,
                                    const std::string& help, const std::string& type) {
  return add_value_option(
      app, name, field, of, [](const auto& value) { return to_string(value); }, help, type);
}

/// Adds an option whose value is a list of distinct names, separated by commas. The argument `of`
/// is a function that converts a name to a value.
template <class Value, class Of>
CLI::Option* add_name_list_option(CLI::App& app, const std::string& name, std::vector<Value>& field,
                                  Of of, const std::string& help, const std::string& type) {
  const auto parse = [=](const std::string& text) {
    std::vector<Value> values;
    for (const std::string& part : split_list(name, text)) {
      const Value value = of(part);
      if (std::ranges::find(values, value) != values.end())
        throw ref::numeric::UsageError(fmt::format("{} names {} twice; expected once", name, part));
      values.push_back(value);
    }
    return values;
  };
  const auto print = [](const std::vector<Value>& values) {
    std::string text;
    for (const Value& value : values)
      text += fmt::format("{}{}", text.empty() ? "" : ",", to_string(value));
    return text;
  };
  return add_value_option(app, name, field, parse, print, help, type);
}

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// Returns the names of the choices, separated by `|`.
template <class Value>
std::string join_names(const Choices<Value>& choices) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice.first;
  return names;
}

/// Returns what an error message calls an option: "--mode", or "function" for the argument
/// FUNCTION.
std::string option_kind(const std::string& name);

/// Adds an option whose value is one of a few named choices. If `type` is empty, --help shows the
/// names of the choices.
template <class Field, class Value = typename OptionValueType<Field>::type>
CLI::Option* add_choice_option(CLI::App& app, const std::string& name, Field& field,
                               const Choices<std::type_identity_t<Value>>& choices,
                               const std::string& help, const std::string& type = "") {
  const auto parse = [=](const std::string& text) {
    std::vector<std::string> known;
    for (const auto& [own, value] : choices) {
      if (own == text) return value;
      known.push_back(own);
    }
    throw ref::numeric::UsageError(ref::numeric::unknown_name(option_kind(name), text, known));
  };
  const auto print = [=](const Value& value) {
    return std::ranges::find(choices, value, &std::pair<std::string, Value>::second)->first;
  };
  return add_value_option(app, name, field, parse, print, help,
                          type.empty() ? join_names(choices) : type);
}

}  // namespace normproof::verification::cli
