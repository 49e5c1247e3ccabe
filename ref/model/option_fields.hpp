#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

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
/// which calls f(name, field) for each field; and names_of(E), which returns the names of the
/// enumeration E, for each enumeration among the fields.
namespace normproof::ref::model {

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] inline void bad_value(std::string_view field, std::string_view value,
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
    bad_value(field, text, fmt::format("an integer from 0 on{}", suffix));
  if (error == std::errc::result_out_of_range)
    bad_value(field, text, fmt::format("{} in its type's range{}", kKind, suffix));
  if (error != std::errc{} || end != text.data() + text.size())
    bad_value(field, text, fmt::format("{}{}", kKind, suffix));
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(parsed)) bad_value(field, text, fmt::format("a finite number{}", suffix));
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
    bad_value(field, text, "true, false, 1 or 0");
  }
}
template <class E>
requires std::is_enum_v<E>
void parse_field(std::string_view field, std::string_view text, E& value) {
  std::vector<std::string> known;
  for (const auto& [name, e] : names_of(value)) {
    known.emplace_back(name);
    if (text == name) {
      value = e;
      return;
    }
  }
  bad_value(field, text, fmt::format("one of {}", fmt::join(known, ", ")));
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
  for (const auto& [name, e] : names_of(v))
    if (e == v) return name;
  return {};
}

/// Returns the alternative number `index` of a variant, with default values.
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
        visit_fields(o, [&](const char* own, auto& target) {
          known.emplace_back(own);
          if (field != own) return;
          parse_field(field, value, target);
          found = true;
        });
      },
      options);
  if (!found) throw numeric::UsageError(numeric::unknown_name(name + " option", field, known));
}

/// The fields that were added after the first files had been written. If a file does not name such
/// a field, the field has the value that is listed here.
inline constexpr std::pair<std::string_view, std::string_view> kLegacyDefaults[] = {
    {"layout", "rows"}, {"scaled_embedding", "false"}, {"zero_centred_gamma", "false"}};

inline bool is_legacy_default(std::string_view field, std::string_view value) {
  for (const auto& [name, meant] : kLegacyDefaults)
    if (name == field && meant == value) return true;
  return false;
}

/// Returns the name and the value of every field as text, in the order of visit_fields.
template <class Variant>
OptionTexts list_all_fields(Variant options) {
  OptionTexts result;
  std::visit(
      [&](auto& o) {
        visit_fields(o,
                     [&](const char* name, auto& v) { result.emplace_back(name, print_field(v)); });
      },
      options);
  return result;
}

/// Returns the name and the value of every field as text, but omits the fields in kLegacyDefaults
/// that have the value listed there.
template <class Variant>
OptionTexts list_fields(const Variant& options) {
  OptionTexts result = list_all_fields(options);
  std::erase_if(result,
                [](const auto& field) { return is_legacy_default(field.first, field.second); });
  return result;
}

}  // namespace normproof::ref::model
