#include "ref/numeric/format_names.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace normproof::ref::numeric {
namespace {

constexpr std::pair<std::string_view, FloatType> kShortNames[] = {
    {"fp64", FloatType::float64},
    {"f64", FloatType::float64},
    {"double", FloatType::float64},
    {"fp32", FloatType::float32},
    {"f32", FloatType::float32},
    {"single", FloatType::float32},
    {"fp16", FloatType::float16},
    {"f16", FloatType::float16},
    {"half", FloatType::float16},
    {"bf16", FloatType::bfloat16},
    {"e4m3", FloatType::float8_e4m3fn},
    {"e4m3fn", FloatType::float8_e4m3fn},
    {"float8_e4m3", FloatType::float8_e4m3fn},
    {"e5m2", FloatType::float8_e5m2},
    {"e2m1", FloatType::float4_e2m1fn},
    {"e2m1fn", FloatType::float4_e2m1fn},
    {"float4_e2m1", FloatType::float4_e2m1fn},
    {"fp4", FloatType::float4_e2m1fn}};

std::string to_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace

std::optional<FloatType> find_float_type(std::string_view text) {
  const std::string name = to_lower_case(text);
  for (const FloatFormat& format : kFloatFormats)
    if (name == format.name) return format.type;
  for (const auto& [short_name, type] : kShortNames)
    if (name == short_name) return type;
  return std::nullopt;
}

}  // namespace normproof::ref::numeric
