#include "verification/golden/gate/planted.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::golden::gate {

using corpus::path_of;
using corpus::storage_of;

namespace {

/// The elements of an output that `value` is right for, and those that nothing is claimed of.
Planted expected_of(const JudgedValues& judged, double value) {
  Planted expected{.values = judged.high.size()};
  for (std::size_t i = 0; i < judged.high.size(); ++i) {
    if (std::isnan(judged.high[i])) {
      expected.within += std::isfinite(value) ? 0 : 1;
      continue;
    }
    if (std::isinf(judged.bound[i]))
      ++expected.unjudged;
    else
      expected.within +=
          std::fabs(value - judged.high[i] - judged.low[i]) <= judged.bound[i] ? 1 : 0;
  }
  return expected;
}

/// What is planted in place of each number of a dtype.
std::vector<double> values_for(DType dtype) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (dtype == DType::int64) return {0, 12345};
  if (dtype == DType::float8_e8m0fnu) return {kNaN, 0x1p-127, 0x1p127};
  std::vector<double> values = {kNaN, std::numeric_limits<double>::infinity(), 0, 12345};
  for (double& value : values) value = ref::numeric::round_to(storage_of(dtype), value);
  return values;
}

}  // namespace

Planted& Planted::operator+=(const Planted& other) {
  values += other.values;
  refused += other.refused;
  within += other.within;
  unjudged += other.unjudged;
  missed.insert(missed.end(), other.missed.begin(), other.missed.end());
  return *this;
}

Planted plant(const StoredCase& stored, const std::vector<StoredTensor>& right,
              const Tolerance& bounds) {
  Planted all;
  for (std::size_t t = 0; t < right.size(); ++t)
    for (const double value : values_for(right[t].dtype)) {
      Planted planted = expected_of(judged_values(stored, right, right[t].name, bounds), value);
      std::vector<StoredTensor> answer = right;
      answer[t] = ref::io::make_tensor(right[t].name, right[t].dtype, right[t].shape,
                                       std::vector<double>(planted.values, value));
      for (const TensorResult& result : check_case(stored, answer, {}, bounds).tensors)
        if (result.name == right[t].name) planted.refused = result.failed.size();
      const std::size_t wrong = planted.values - planted.within;
      if (planted.refused != wrong)
        planted.missed = {fmt::format("{} of {}: {} is refused in {} elements of {}", right[t].name,
                                      path_of(stored.description.c), value, planted.refused,
                                      wrong)};
      all += planted;
    }
  return all;
}

}  // namespace normproof::verification::golden::gate
