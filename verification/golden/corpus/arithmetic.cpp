#include "verification/golden/corpus/arithmetic.hpp"

#include <cmath>
#include <limits>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::corpus {

using ref::numeric::Arithmetic;

namespace {

constexpr Accumulation kAccumulations[] = {Accumulation::float64, Accumulation::float32,
                                           Accumulation::float16, Accumulation::bfloat16};

}  // namespace

std::string_view to_string(Accumulation accumulation) {
  switch (accumulation) {
    case Accumulation::float64:
      return "float64";
    case Accumulation::float32:
      return "float32";
    case Accumulation::float16:
      return "float16";
    case Accumulation::bfloat16:
      return "bfloat16";
  }
  ref::numeric::contract_failure("to_string", "accumulation", "is no enumerator",
                                 "one of Accumulation");
}

Accumulation accumulation_of(std::string_view name) {
  std::vector<std::string> known;
  for (const Accumulation accumulation : kAccumulations) {
    if (to_string(accumulation) == name) return accumulation;
    known.emplace_back(to_string(accumulation));
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("accumulation", name, known));
}

Arithmetic arithmetic_of(Accumulation accumulation) {
  switch (accumulation) {
    case Accumulation::float32:
      return ref::numeric::kFloat32;
    case Accumulation::float16:
      return ref::numeric::kFloat16;
    case Accumulation::bfloat16:
      return ref::numeric::kBfloat16;
    default:
      return ref::numeric::kFloat64;
  }
}

Accumulation usual_accumulation(DType dtype) {
  return dtype == DType::float64 ? Accumulation::float64 : Accumulation::float32;
}

DType dtype_of_output(DType dtype, std::string_view name) {
  if (name == "iterations" || name.ends_with(".iterations")) return DType::int64;
  const bool small = dtype == DType::float16 || dtype == DType::bfloat16;
  const bool kept = name == "y" || name.starts_with("grad_");
  return small && !kept ? DType::float32 : dtype;
}

double unit_roundoff(DType dtype) {
  return arithmetic_of(storage_of(dtype)).unit_roundoff;
}

double ulp_of(double x, DType dtype) {
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  return std::ldexp(2 * unit_roundoff(dtype), std::ilogb(x));
}

}  // namespace normproof::verification::golden::corpus
