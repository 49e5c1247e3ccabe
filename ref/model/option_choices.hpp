#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "ref/model/operation.hpp"
#include "ref/model/option_fields.hpp"

namespace normproof::ref::model {

/// An option that has one of a few values: a flag, or an enumeration.
struct OptionChoices {
  std::string name;
  bool is_flag = false;
  std::vector<std::string> others;  ///< the values that the option does not have
};

/// Returns the options of a norm or a function that are flags or enumerations, in the order of
/// list_all_options. The result is empty for other operations.
std::vector<OptionChoices> list_option_choices(const Operation& operation);
std::vector<OptionChoices> list_option_choices(const NormOptions& layer);

/// Returns the fields of the struct that the variant `options` holds. The functions that
/// option_fields.hpp names must be defined before.
template <class Variant>
std::vector<OptionChoices> list_choices(Variant options) {
  std::vector<OptionChoices> result;
  std::visit(
      [&](auto& o) {
        visit_fields(o, [&](const char* name, auto& v, SinceVersion = {}) {
          using Field = std::remove_cvref_t<decltype(v)>;
          if constexpr (std::is_same_v<Field, bool>) {
            result.push_back({name, true, {v ? "false" : "true"}});
          } else if constexpr (std::is_enum_v<Field>) {
            OptionChoices choices{name, false, {}};
            for (const auto& [text, value] : enum_names(v))
              if (value != v) choices.others.emplace_back(text);
            result.push_back(std::move(choices));
          }
        });
      },
      options);
  return result;
}

}  // namespace normproof::ref::model
