#include "verification/golden/gate/planted.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace normproof::verification::golden::gate {

using corpus::find;
using corpus::path_of;
using corpus::storage_of;

namespace {

/// The elements of an output that `value` is right for, and those that nothing is claimed of.
Planted expected_of(const StoredCase& stored, const StoredTensor& answer, const Tolerance& bounds,
                    double value) {
  const std::vector<double> exact = ref::io::widen(*find(stored.expected, answer.name));
  const StoredTensor* const low = find(stored.expected, answer.name + "_lo");
  const std::vector<double> remainder =
      low == nullptr ? std::vector<double>(exact.size(), 0.0) : ref::io::widen(*low);
  Planted expected{.values = exact.size()};
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::isnan(exact[i])) {
      expected.within += std::isfinite(value) ? 0 : 1;
      continue;
    }
    const double bound = answer.dtype == DType::int64
                             ? 0
                             : with_storage(bounds.bound.at(answer.name).data()[i], exact[i],
                                            remainder[i], answer.dtype);
    if (std::isinf(bound))
      ++expected.unjudged;
    else
      expected.within += std::fabs(value - exact[i] - remainder[i]) <= bound ? 1 : 0;
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
        if (result.name == right[t].name) planted.refused = result.failures;
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
