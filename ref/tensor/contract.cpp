#include "ref/tensor/contract.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace normproof::ref::tensor {

using numeric::contract_failure;

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Extents check_activations(std::string_view function, std::string_view argument,
                          const Shape& shape) {
  const bool nonempty = std::all_of(shape.begin(), shape.end(), [](auto e) { return e >= 1; });
  if ((shape.size() != 2 && shape.size() != 3) || !nonempty) {
    contract_failure(function, argument, "has shape " + to_string(shape),
                     "[N, D] or [B, T, D] with every extent at least 1", Clause::C1);
  }
  if (shape.size() == 2) return {shape[0], 1, shape[1]};
  return {shape[0], shape[1], shape[2]};
}

void check_shape(std::string_view function, std::string_view argument, const Shape& shape,
                 const Shape& expected, Clause clause) {
  if (shape != expected) {
    contract_failure(function, argument, "has shape " + to_string(shape),
                     "shape " + to_string(expected), clause);
  }
}

void check_mask(std::string_view function, const Mask& valid, const Shape& x_shape, Clause clause) {
  if (!is_given(valid)) return;
  check_shape(function, "valid", shape_of(valid), Shape(x_shape.begin(), x_shape.end() - 1),
              clause);
}

void check_option(std::string_view function, std::string_view option, double value, bool holds,
                  std::string_view expectation, Clause clause) {
  if (!numeric::is_finite(value) || !holds) {
    contract_failure(function, option, fmt::format("is {}", value), expectation, clause);
  }
}

std::string index_to_string(std::size_t flat, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return to_string(index);
}

}  // namespace normproof::ref::tensor
