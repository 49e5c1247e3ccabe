#include "verification/golden/corpus/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/format_names.hpp"

namespace normproof::verification::golden::corpus {

std::string_view to_string(Accumulation accumulation) {
  return ref::numeric::float_format_info(accumulation).name;
}

Accumulation parse_accumulation(std::string_view name) {
  std::vector<std::string> known;
  const std::optional<Accumulation> found = ref::numeric::find_float_type(name);
  for (const ref::numeric::FloatFormat& format : ref::numeric::kFloatFormats) {
    if (!is_storage_format(format) || !is_used_for_arithmetic(format)) continue;
    if (found == format.type) return format.type;
    known.emplace_back(format.name);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("accumulation", name, known));
}

ref::numeric::Arithmetic accumulation_arithmetic(Accumulation accumulation) {
  return ref::numeric::arithmetic_of_type(accumulation);
}

Accumulation usual_accumulation(DType dtype) {
  return dtype == DType::float64 ? Accumulation::float64 : Accumulation::float32;
}

DType output_dtype(DType dtype, std::string_view name) {
  if (name == "iterations" || name.ends_with(".iterations")) return DType::int64;
  const bool small = ref::io::is_float(dtype) && ref::io::item_size(dtype) < 4;
  constexpr std::string_view kOutputsInCaseDtype[] = {"y", "sum", "logits", "parameter"};
  const bool kept = std::ranges::find(kOutputsInCaseDtype, name) != std::end(kOutputsInCaseDtype) ||
                    name.ends_with("attention.weights") || name.ends_with("attention.keys") ||
                    name.ends_with("attention.values") || name.starts_with("grad_");
  return small && !kept ? DType::float32 : dtype;
}

DType output_dtype(const Case& c, std::string_view name) {
  constexpr std::string_view kGradientPrefix = "grad_";
  const StoredTensor* const of = name.starts_with(kGradientPrefix)
                                     ? find(c.inputs, name.substr(kGradientPrefix.size()))
                                     : nullptr;
  return of != nullptr && ref::io::is_float(of->dtype) ? of->dtype : output_dtype(c.dtype, name);
}

bool rounds_when_stored(DType dtype, Accumulation accumulation) {
  const ref::numeric::Arithmetic format = accumulation_arithmetic(storage_format(dtype));
  const ref::numeric::Arithmetic own = accumulation_arithmetic(accumulation);
  return format.unit_roundoff > own.unit_roundoff || format.tiny > own.tiny;
}

double unit_roundoff(DType dtype) {
  return accumulation_arithmetic(storage_format(dtype)).unit_roundoff;
}

double ulp_size(double x, DType dtype) {
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  return std::ldexp(2 * unit_roundoff(dtype), std::ilogb(x));
}

}  // namespace normproof::verification::golden::corpus
