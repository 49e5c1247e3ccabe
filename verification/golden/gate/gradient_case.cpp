#include "verification/golden/gate/gradient_case.hpp"

#include <algorithm>

#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::gate {

using certify::StoredCase;
using corpus::Case;
using corpus::find;
using ref::io::StoredTensor;

Case with_every_gradient(const StoredCase& stored) {
  Case c = stored.description.c;
  const StoredTensor* const y = find(stored.expected, "y");
  const bool is_function = std::holds_alternative<ref::model::FunctionOptions>(c.options);
  if (!is_function || corpus::is_scaled(c) || y == nullptr || find(c.inputs, "grad_y") != nullptr)
    return c;
  const std::size_t elements = ref::io::widen(*y).size();
  c.inputs.push_back(
      ref::io::make_tensor("grad_y", c.dtype, y->shape, std::vector<double>(elements, 0)));
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  return c;
}

}  // namespace normproof::verification::golden::gate
