#include "ref/model/norm_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <type_traits>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::model {
namespace {

using numeric::UsageError;

constexpr std::pair<const char*, CastOrder> kCastOrders[] = {
    {"after_gamma", CastOrder::after_gamma}, {"before_gamma", CastOrder::before_gamma}};
constexpr std::pair<const char*, StorageFormat> kStorageFormats[] = {
    {"float64", StorageFormat::float64},
    {"float32", StorageFormat::float32},
    {"bfloat16", StorageFormat::bfloat16},
    {"float16", StorageFormat::float16}};

// The fields of each struct by name: the one list that setting, listing and error messages share.
void visit_fields(NoneOptions&, auto&&) {}
void visit_fields(BatchNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
  f("unbiased_running_variance", o.unbiased_running_variance);
}
void visit_fields(LayerNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
void visit_fields(RMSNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("cast_order", o.cast_order);
  f("storage", o.storage);
}
void visit_fields(GroupNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("groups", o.groups);
}
void visit_fields(InstanceNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
void visit_fields(PowerNormVOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
}
void visit_fields(PowerNormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("alpha_forward", o.alpha_forward);
  f("alpha_backward", o.alpha_backward);
  f("warmup_iterations", o.warmup_iterations);
}
void visit_fields(PowerNormReleasedOptions& o, auto&& f) {
  f("eps", o.eps);
  f("alpha_forward", o.alpha_forward);
  f("alpha_backward", o.alpha_backward);
  f("warmup_iterations", o.warmup_iterations);
  f("groups", o.groups);
  f("group_eps", o.group_eps);
  f("group_scaling", o.group_scaling);
  f("divide_by_batch_psi", o.divide_by_batch_psi);
  f("cumulative_warmup_average", o.cumulative_warmup_average);
  f("pads_in_backward", o.pads_in_backward);
  f("scaled_nu", o.scaled_nu);
}
void visit_fields(BatchRenormOptions& o, auto&& f) {
  f("eps", o.eps);
  f("running_decay", o.running_decay);
  f("r_max", o.r_max);
  f("d_max", o.d_max);
}
void visit_fields(ScaleNormOptions& o, auto&& f) {
  f("eps", o.eps);
}
void visit_fields(GroupScalingOptions& o, auto&& f) {
  f("eps", o.eps);
  f("groups", o.groups);
}

[[noreturn]] void bad_value(std::string_view field, std::string_view value,
                            std::string_view expectation) {
  throw UsageError(fmt::format("option {} is '{}'; expected {}", field, value, expectation));
}

template <class T>
void parse_number(std::string_view field, std::string_view text, T& value, const char* kind) {
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc::result_out_of_range)
    bad_value(field, text, fmt::format("{} in its type's range", kind));
  if (error != std::errc{} || end != text.data() + text.size()) bad_value(field, text, kind);
  value = parsed;
}

template <class E, std::size_t N>
void parse_enum(std::string_view field, std::string_view text, E& value,
                const std::pair<const char*, E> (&names)[N]) {
  std::vector<std::string> known;
  for (const auto& [name, e] : names) {
    known.emplace_back(name);
    if (text == name) {
      value = e;
      return;
    }
  }
  bad_value(field, text, fmt::format("one of {}", fmt::join(known, ", ")));
}

void parse(std::string_view field, std::string_view text, double& value) {
  parse_number(field, text, value, "a number");
  if (!std::isfinite(value)) bad_value(field, text, "a finite number");
}
void parse(std::string_view field, std::string_view text, std::int64_t& value) {
  parse_number(field, text, value, "an integer");
}
void parse(std::string_view field, std::string_view text, bool& value) {
  if (text == "1" || text == "true") {
    value = true;
  } else if (text == "0" || text == "false") {
    value = false;
  } else {
    bad_value(field, text, "true, false, 1 or 0");
  }
}
void parse(std::string_view field, std::string_view text, CastOrder& value) {
  parse_enum(field, text, value, kCastOrders);
}
void parse(std::string_view field, std::string_view text, StorageFormat& value) {
  parse_enum(field, text, value, kStorageFormats);
}

template <class E, std::size_t N>
std::string enum_name(E value, const std::pair<const char*, E> (&names)[N]) {
  for (const auto& [name, e] : names)
    if (e == value) return name;
  return {};
}

std::string print(double v) {
  return fmt::format("{}", v);
}
std::string print(std::int64_t v) {
  return fmt::format("{}", v);
}
std::string print(bool v) {
  return v ? "true" : "false";
}
std::string print(CastOrder v) {
  return enum_name(v, kCastOrders);
}
std::string print(StorageFormat v) {
  return enum_name(v, kStorageFormats);
}

constexpr const char* kNames[] = {"none",         "batch_norm", "layer_norm",
                                  "rms_norm",     "group_norm", "instance_norm",
                                  "power_norm_v", "power_norm", "power_norm_released",
                                  "batch_renorm", "scale_norm", "group_scaling"};
static_assert(std::size(kNames) == std::variant_size_v<NormOptions>);

template <std::size_t I = 0>
NormOptions options_at(std::size_t index) {
  if constexpr (I < std::variant_size_v<NormOptions>) {
    return index == I ? NormOptions(std::in_place_index<I>) : options_at<I + 1>(index);
  } else {
    return NoneOptions{};
  }
}

}  // namespace

std::string norm_name(const NormOptions& options) {
  return kNames[options.index()];
}

std::vector<std::string> norm_names() {
  return {std::begin(kNames), std::end(kNames)};
}

NormOptions norm_options(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return options_at(i);
  throw UsageError(numeric::unknown_name("layer", name, norm_names()));
}

void set_option(NormOptions& options, std::string_view field, std::string_view value) {
  bool found = false;
  std::vector<std::string> known;
  std::visit(
      [&](auto& o) {
        visit_fields(o, [&](const char* name, auto& target) {
          known.emplace_back(name);
          if (field != name) return;
          parse(field, value, target);
          found = true;
        });
      },
      options);
  if (!found) throw UsageError(numeric::unknown_name(norm_name(options) + " option", field, known));
}

std::vector<std::pair<std::string, std::string>> list_options(const NormOptions& options) {
  std::vector<std::pair<std::string, std::string>> result;
  NormOptions copy = options;
  std::visit(
      [&](auto& o) {
        visit_fields(o, [&](const char* name, auto& v) { result.emplace_back(name, print(v)); });
      },
      copy);
  return result;
}

}  // namespace normproof::ref::model
