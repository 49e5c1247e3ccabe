#include "ref/nn/linear.hpp"

#include "ref/ops/matmul.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using tensor::Shape;
using tensor::shape_of;

template <class T>
ops::MatrixView<const T> as_rows_view(const Tensor<T>& t) {
  const std::size_t width = t.shape().back();
  return ops::matrix<const T>(t.data(), t.size() / width, width);
}
template <class T>
ops::MatrixView<T> as_rows_view(Tensor<T>& t) {
  const std::size_t width = t.shape().back();
  return ops::matrix<T>(t.data(), t.size() / width, width);
}

/// Checks the shapes of the arguments. Returns the shape of y.
template <class T>
Shape check_and_return_y_shape(std::string_view function, const Tensor<T>& x,
                               const Tensor<T>& weights, const Tensor<T>& bias) {
  Shape shape = shape_of(x);
  if (shape.size() < 2 || x.size() == 0)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape),
                              "[..., I], every extent at least 1", Clause::C1);
  const Shape weight = shape_of(weights);
  if (weight.size() != 2 || weight[1] != shape.back() || weight[0] == 0)
    numeric::contract_failure(
        function, "weight",
        "has shape " + tensor::to_string(weight) + ", and x " + tensor::to_string(shape),
        "[O,I] and [...,I]", Clause::C2);
  tensor::check_shape(function, "bias", shape_of(bias), {weight[0]}, Clause::C2);
  shape.back() = weight[0];
  return shape;
}

}  // namespace

template <numeric::Real T>
Tensor<T> linear(const Tensor<T>& x, const Tensor<T>& weight, const Tensor<T>& bias) {
  const Shape shape = check_and_return_y_shape("linear", x, weight, bias);
  Tensor<T> y = tensor::empty_tensor<T>(shape);
  ops::matmul_add_to_row<T>(as_rows_view(y), as_rows_view(x), ops::transposed(as_rows_view(weight)),
                            bias);
  return y;
}

template <numeric::Real T>
LinearGradients<T> linear_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                   const Tensor<T>& weight, const Tensor<T>& bias) {
  const Shape shape = check_and_return_y_shape("linear_backward", x, weight, bias);
  tensor::check_shape("linear_backward", "grad_y", shape_of(grad_y), shape, Clause::C3);
  LinearGradients<T> result{tensor::empty_tensor<T>(shape_of(x)),
                            {tensor::empty_tensor<T>(shape_of(weight)), {}}};
  ops::matmul_into<T>(as_rows_view(result.grad_x), as_rows_view(grad_y), as_rows_view(weight));
  ops::matmul_into<T>(as_rows_view(result.parameters.weight), ops::transposed(as_rows_view(grad_y)),
                      as_rows_view(x));
  result.parameters.bias = ops::sum_columns(grad_y);
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                   \
  template Tensor<T> linear(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&); \
  template LinearGradients<T> linear_backward(const Tensor<T>&, const Tensor<T>&,  \
                                              const Tensor<T>&, const Tensor<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
