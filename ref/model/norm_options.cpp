#include "ref/model/norm_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

#include "ref/model/norm_fields.hpp"
#include "ref/model/norm_layers.hpp"
#include "ref/model/operation.hpp"
#include "ref/model/operation_names.hpp"
#include "ref/model/option_choices.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/format_names.hpp"

namespace normproof::ref::numeric {

// Returns the names of the storage formats. option_fields.hpp finds this function by
// argument-dependent lookup.
static std::span<const std::pair<const char*, FloatType>> enum_names(FloatType) {
  static const auto names = [] {
    std::vector<std::pair<const char*, FloatType>> stored;
    for (const FloatFormat& format : kFloatFormats)
      if (is_storage_format(format) && is_used_for_arithmetic(format))
        stored.emplace_back(format.name, format.type);
    return stored;
  }();
  return names;
}

// Also accepts the short names of formats, such as "bf16".
static void parse_field(std::string_view field, std::string_view text, FloatType& value) {
  std::vector<std::string> known;
  const std::optional<FloatType> found = find_float_type(text);
  for (const auto& [name, type] : enum_names(value)) {
    known.emplace_back(name);
    if (found != type) continue;
    value = type;
    return;
  }
  model::throw_invalid_value(field, text, fmt::format("one of {}", fmt::join(known, ", ")));
}

}  // namespace normproof::ref::numeric

namespace normproof::ref::model {
namespace {

constexpr std::pair<const char*, CastOrder> kCastOrders[] = {
    {"after_gamma", CastOrder::after_gamma}, {"before_gamma", CastOrder::before_gamma}};
constexpr std::pair<const char*, Layout> kLayouts[] = {{"rows", Layout::rows},
                                                       {"channels_first", Layout::channels_first},
                                                       {"channels_last", Layout::channels_last}};

}  // namespace

// option_fields.hpp finds these functions by argument-dependent lookup.
static std::span<const std::pair<const char*, CastOrder>> enum_names(CastOrder) {
  return kCastOrders;
}
static std::span<const std::pair<const char*, Layout>> enum_names(Layout) {
  return kLayouts;
}

std::string norm_name(const NormOptions& options) {
  return std::string(norm_layer(options).name);
}

std::vector<std::string> norm_names() {
  std::vector<std::string> names;
  for (const NormLayer& layer : norm_layers()) names.emplace_back(layer.name);
  return names;
}

NormOptions norm_options(std::string_view name) {
  for (std::size_t i = 0; i < norm_layers().size(); ++i)
    if (name == norm_layers()[i].name) return make_alternative<NormOptions>(i);
  if (const std::optional<std::string> known = find_operation_name(name)) {
    if (*known != name) return norm_options(*known);
    throw numeric::UsageError(fmt::format("operation '{}' is not a layer; expected one of {}", name,
                                          fmt::join(norm_names(), ", ")));
  }
  throw numeric::UsageError(numeric::unknown_name("layer", name, norm_names()));
}

void set_option(NormOptions& options, std::string_view field, std::string_view value) {
  set_field(options, norm_name(options), field, value);
}

std::vector<std::pair<std::string, std::string>> list_options(const NormOptions& options) {
  return list_fields(options);
}

std::vector<std::pair<std::string, std::string>> list_all_options(const NormOptions& options) {
  return list_all_fields(options);
}

std::vector<OptionChoices> list_option_choices(const NormOptions& layer) {
  return list_choices(layer);
}

}  // namespace normproof::ref::model
