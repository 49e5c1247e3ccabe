#include "verification/golden/gate/stored_digits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "ref/numeric/float_format.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/golden/corpus/arithmetic.hpp"

namespace normproof::verification::golden::gate {

using ref::io::DType;

namespace {

bool is_low_precision(DType dtype) {
  return ref::io::is_float(dtype) && ref::io::item_size(dtype) < 4;
}

}  // namespace

std::string describe_excess_digits(const StoredTensor& expected, const StoredTensor& answer) {
  if (expected.name == "sum") return {};  // a kernel may store `sum` in float32
  const bool is_as_narrow = is_low_precision(answer.dtype) &&
                            ref::io::item_size(answer.dtype) <= ref::io::item_size(expected.dtype);
  if (!is_low_precision(expected.dtype) || !ref::io::is_float(answer.dtype) || is_as_narrow)
    return {};
  const std::vector<double> given = ref::io::widen(answer);
  const auto round = [&](double value) {
    return ref::numeric::round_to(corpus::storage_format(expected.dtype), value);
  };
  std::size_t count = 0, first = 0;
  for (std::size_t i = given.size(); i-- > 0;) {
    if (round(given[i]) == given[i] || std::isnan(given[i])) continue;
    ++count;
    first = i;
  }
  if (count == 0) return {};
  return fmt::format("is not of {}: {} = {:.9g} {} ({}, {} of {} elements)",
                     ref::io::to_string(expected.dtype),
                     ref::tensor::index_to_string(first, answer.shape), given[first],
                     std::isinf(round(given[first])) ? "is too large" : "has more digits",
                     ref::io::to_string(answer.dtype), count, given.size());
}

}  // namespace normproof::verification::golden::gate
