#pragma once

#include <string>
#include <string_view>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::tensor {

using numeric::Clause;

/// The extents of activations x [B,T,D]. x [N,D] counts as [N,1,D].
struct Extents {
  std::size_t batch_size = 0;
  std::size_t seq_len = 0;
  std::size_t d_model = 0;

  std::size_t rows() const { return batch_size * seq_len; }
  std::size_t size() const { return rows() * d_model; }
};

/// Returns the shape as text, such as "[2, 3]".
std::string to_string(const Shape& shape);

/// Checks that `shape` is [N,D] or [B,T,D] with every extent at least 1. Returns the extents.
/// Throws    ContractError with clause C1, which has this meaning in the comments of all functions
Extents check_activations(std::string_view function, std::string_view argument, const Shape& shape);

/// Checks that `shape` equals `expected`.
/// Throws    ContractError that names the function and the argument
void check_shape(std::string_view function, std::string_view argument, const Shape& shape,
                 const Shape& expected, Clause clause = Clause::none);

/// Checks that the mask `valid` is empty (all rows are valid) or has the shape of x without D: [N]
/// or [B,T].
void check_mask(std::string_view function, const Mask& valid, const Shape& x_shape,
                Clause clause = Clause::none);

/// Checks that the value of an option is finite and that `holds` is true. Otherwise throws a
/// ContractError with the text `expectation`.
void check_option(std::string_view function, std::string_view option, double value, bool holds,
                  std::string_view expectation, Clause clause = Clause::none);

/// Returns the index of an element as text, such as "[1, 2, 3]". `flat` is its position in
/// row-major order.
std::string index_to_string(std::size_t flat, const Shape& shape);

/// Checks that every element of t is finite.
/// Throws    NotFiniteError that names the function, the argument and the first element that is not
///           finite
template <class T>
void check_finite(std::string_view function, std::string_view argument, const Tensor<T>& t,
                  Clause clause = Clause::none) {
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!numeric::is_finite(t.data()[i])) {
      numeric::not_finite_failure(function, argument,
                                  "has the element " + index_to_string(i, shape_of(t)) + " = " +
                                      std::to_string(numeric::to_double(t.data()[i])),
                                  "finite values", clause);
    }
  }
}

}  // namespace normproof::ref::tensor
