#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ref/numeric/errors.hpp"

/// Converts the fields of option structs to and from text. Some functions must be defined before
/// set_field and list_fields are called on a variant of such structs: visit_fields(options, f),
/// which calls f(name, field) or f(name, field, since) for each field; and enum_names(E), which
/// returns the names of the enumeration E, for each enumeration among the fields.
namespace normproof::ref::model {

/// The version of the corpus that added a field to an existing operation. A file of an older
/// version does not name the field, which then has its default. A newer file omits the field if it
/// has its default, so that the bytes of existing files do not change.
struct SinceVersion {
  const char* corpus_version = nullptr;  ///< null: the field is as old as its operation
};

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] inline void throw_invalid_value(std::string_view field, std::string_view value,
                                             std::string_view expectation) {
  throw numeric::UsageError(
      fmt::format("option {} is '{}'; expected {}", field, value, expectation));
}

template <class T>
concept FieldNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <FieldNumber T>
void parse_number(std::string_view field, std::string_view text, T& value, const char* suffix) {
  constexpr const char* kKind = std::is_floating_point_v<T> ? "a number" : "an integer";
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (std::is_unsigned_v<T> && text.starts_with('-'))
    throw_invalid_value(field, text, fmt::format("an integer from 0 on{}", suffix));
  if (error == std::errc::result_out_of_range)
    throw_invalid_value(field, text, fmt::format("{} in its type's range{}", kKind, suffix));
  if (error != std::errc{} || end != text.data() + text.size())
    throw_invalid_value(field, text, fmt::format("{}{}", kKind, suffix));
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(parsed))
      throw_invalid_value(field, text, fmt::format("a finite number{}", suffix));
  value = parsed;
}

/// Sets `value` to the value that the text states.
/// Throws    UsageError that names the field, the text and what is expected
template <FieldNumber T>
void parse_field(std::string_view field, std::string_view text, T& value) {
  parse_number(field, text, value, "");
}
template <FieldNumber T>
void parse_field(std::string_view field, std::string_view text, std::optional<T>& value) {
  T parsed{};
  if (text != "none") parse_number(field, text, parsed, ", or none");
  value = text == "none" ? std::nullopt : std::optional<T>(parsed);
}
inline void parse_field(std::string_view field, std::string_view text, bool& value) {
  if (text == "1" || text == "true") {
    value = true;
  } else if (text == "0" || text == "false") {
    value = false;
  } else {
    throw_invalid_value(field, text, "true, false, 1 or 0");
  }
}
template <class E>
requires std::is_enum_v<E>
void parse_field(std::string_view field, std::string_view text, E& value) {
  std::vector<std::string> known;
  for (const auto& [name, e] : enum_names(value)) {
    known.emplace_back(name);
    if (text == name) {
      value = e;
      return;
    }
  }
  throw_invalid_value(field, text, fmt::format("one of {}", fmt::join(known, ", ")));
}

template <FieldNumber T>
std::string print_field(T v) {
  return fmt::format("{}", v);
}
template <FieldNumber T>
std::string print_field(const std::optional<T>& v) {
  return v ? fmt::format("{}", *v) : "none";
}
inline std::string print_field(bool v) {
  return v ? "true" : "false";
}
template <class E>
requires std::is_enum_v<E> std::string print_field(E v) {
  for (const auto& [name, e] : enum_names(v))
    if (e == v) return name;
  return {};
}

/// Returns a variant that holds its alternative number `index`, with default values.
template <class Variant, std::size_t I = 0>
Variant make_alternative(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    return index == I ? Variant(std::in_place_index<I>) : make_alternative<Variant, I + 1>(index);
  } else {
    return Variant(std::in_place_index<I>);
  }
}

/// Sets a field of the struct that the variant `options` holds. `name` is the name of that struct
/// in error messages.
/// Throws    UsageError. For an unknown field it suggests the nearest known field; for a wrong
///           value it names the field, the value and what is expected
template <class Variant>
void set_field(Variant& options, const std::string& name, std::string_view field,
               std::string_view value) {
  bool found = false;
  std::vector<std::string> known;
  std::visit(
      [&](auto& o) {
        visit_fields(o, [&](const char* own, auto& target, SinceVersion = {}) {
          known.emplace_back(own);
          if (field != own) return;
          parse_field(field, value, target);
          found = true;
        });
      },
      options);
  if (!found) throw numeric::UsageError(numeric::unknown_name(name + " option", field, known));
}

/// Returns the name and the value of every field as text, in the order of visit_fields.
template <class Variant>
OptionTexts list_all_fields(Variant options) {
  OptionTexts result;
  std::visit(
      [&](auto& o) {
        visit_fields(o, [&](const char* name, auto& v, SinceVersion = {}) {
          result.emplace_back(name, print_field(v));
        });
      },
      options);
  return result;
}

/// Returns the name and the value of every field as text, in the order of visit_fields. A field
/// that was added later (SinceVersion) is omitted if it has its default value.
template <class Variant>
OptionTexts list_fields(Variant options) {
  OptionTexts result;
  std::visit(
      [&](auto& o) {
        auto default_options = std::remove_cvref_t<decltype(o)>{};
        OptionTexts defaults;
        visit_fields(default_options, [&](const char* name, auto& v, SinceVersion = {}) {
          defaults.emplace_back(name, print_field(v));
        });
        visit_fields(o, [&](const char* name, auto& v, SinceVersion since = {}) {
          std::pair<std::string, std::string> field(name, print_field(v));
          const bool is_later = since.corpus_version != nullptr;
          if (is_later && std::ranges::find(defaults, field) != defaults.end()) return;
          result.push_back(std::move(field));
        });
      },
      options);
  return result;
}

}  // namespace normproof::ref::model
