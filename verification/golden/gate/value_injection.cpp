#include "verification/golden/gate/value_injection.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "verification/golden/gate/judged_output.hpp"

namespace normproof::verification::golden::gate {

using corpus::case_folder;
using corpus::storage_format;

namespace {

struct NamedValue {
  const char* name;
  double value;
};

/// Returns the wrong values that are tried in each element of a tensor of this dtype.
std::vector<NamedValue> injected_values(DType dtype) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (dtype == DType::int64) return {{"0", 0}, {"12345", 12345}};
  if (dtype == DType::int8) return {{"0", 0}, {"-128", -128}, {"127", 127}};
  if (dtype == DType::float4_e2m1fn) return {{"0", 0}, {"-6", -6}, {"6", 6}};
  if (dtype == DType::float8_e8m0fnu)
    return {{"NaN", kNaN}, {"2^-127", 0x1p-127}, {"2^127", 0x1p127}};
  std::vector<NamedValue> values = {{"NaN", kNaN},
                                    {"infinity", std::numeric_limits<double>::infinity()},
                                    {"0", 0},
                                    {"12345", 12345}};
  for (NamedValue& planted : values)
    planted.value = ref::numeric::round_to(storage_format(dtype), planted.value);
  return values;
}

/// For each verdict, the member of InjectionCounts that counts it. The verdicts are in the order of
/// the enumerators of ElementVerdict.
constexpr std::size_t InjectionCounts::*kCountOfVerdict[] = {
    &InjectionCounts::refused, &InjectionCounts::right, &InjectionCounts::within,
    &InjectionCounts::unjudged};

InjectionCounts count_verdicts(const JudgedOutput& output, double value) {
  InjectionCounts count{.elements = output.size()};
  for (std::size_t i = 0; i < output.size(); ++i)
    ++(count.*kCountOfVerdict[static_cast<std::size_t>(output.verdict(i, value))]);
  return count;
}

/// Returns the number of elements that should have been rejected but were not. A value that is not
/// finite must be rejected unless it is correct.
std::size_t count_missed_injections(const InjectionCounts& count, double value) {
  return count.unjudged + (std::isfinite(value) ? 0 : count.within);
}

}  // namespace

InjectionCounts& InjectionCounts::operator+=(const InjectionCounts& other) {
  elements += other.elements;
  refused += other.refused;
  right += other.right;
  within += other.within;
  unjudged += other.unjudged;
  return *this;
}

InjectionCounts InjectionResult::total() const {
  InjectionCounts all;
  for (const auto& entry : of) all += entry.second;
  return all;
}

InjectionResult& InjectionResult::operator+=(const InjectionResult& other) {
  for (const auto& [name, count] : other.of) of[name] += count;
  missed.insert(missed.end(), other.missed.begin(), other.missed.end());
  return *this;
}

InjectionResult inject_values(const StoredCase& stored, const std::vector<StoredTensor>& right,
                              const tolerance::Tolerance& bounds) {
  InjectionResult planted;
  const std::string path = case_folder(stored.description.c);
  if (!check_case(stored, right, {}, bounds).passed())
    planted.missed.push_back(fmt::format("{}: the answer itself is refused", path));
  for (const StoredTensor& tensor : right) {
    const JudgedOutput output(stored, right, tensor.name, bounds);
    for (const auto& [name, value] : injected_values(tensor.dtype)) {
      const InjectionCounts count = count_verdicts(output, value);
      if (const std::size_t missed = count_missed_injections(count, value); missed > 0)
        planted.missed.push_back(
            fmt::format("{} of {}: {} in {} elements", tensor.name, path, name, missed));
      planted.of[name] += count;
    }
  }
  return planted;
}

}  // namespace normproof::verification::golden::gate
