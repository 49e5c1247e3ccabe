#include "verification/golden/gate/planted.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace normproof::verification::golden::gate {

using corpus::path_of;
using corpus::storage_of;

namespace {

/// The elements of an output that `value` is right for, and those that nothing is claimed of.
Planted expected_of(const StoredCase& stored, const StoredTensor& answer, const Tolerance& bounds,
                    double value) {
  const certify::ExactValues exact = certify::exact_values(stored, answer.name);
  const auto& bound = bounds.bound.at(answer.name);
  Planted expected{.values = exact.high.size()};
  for (std::size_t i = 0; i < exact.high.size(); ++i) {
    if (std::isnan(exact.high[i])) {
      expected.within += std::isfinite(value) ? 0 : 1;
      continue;
    }
    const double own = with_storage(bound.data()[i], exact.high[i], exact.low[i], answer.dtype);
    if (std::isinf(own))
      ++expected.unjudged;
    else
      expected.within += std::fabs(value - exact.high[i] - exact.low[i]) <= own ? 1 : 0;
  }
  return expected;
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
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kValues[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, 0, 12345};
  Planted all;
  for (std::size_t t = 0; t < right.size(); ++t)
    for (const double chosen : kValues) {
      if (right[t].dtype == DType::int64 && !std::isfinite(chosen)) continue;
      const double value = ref::numeric::round_to(storage_of(right[t].dtype), chosen);
      Planted planted = expected_of(stored, right[t], bounds, value);
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
