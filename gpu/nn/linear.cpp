#include "gpu/nn/linear.hpp"

#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {

using ref::numeric::Clause;

namespace {

using device::Shape;
using device::Span;
using ref::tensor::to_string;

template <class T>
ops::Matrices<T> row_count(Span<T> span, const Shape& shape) {
  return ops::matrix(span, span.size / shape.back(), shape.back());
}

/// Checks the arguments and returns the shape of y.
Shape check_and_return_y_shape(std::string_view function, const DeviceTensor<double>& x,
                               const Linear& p) {
  Shape shape = x.shape();
  if (shape.size() < 2 || !x.is_given())
    ref::numeric::contract_failure(function, "x", "has shape " + to_string(shape),
                                   "[..., I], every extent at least 1", Clause::C1);
  const Shape& weight = p.weight.shape();
  if (weight.size() != 2 || weight[1] != shape.back() || weight[0] == 0)
    ref::numeric::contract_failure(function, "weight",
                                   "has shape " + to_string(weight) + ", and x " + to_string(shape),
                                   "[O,I] and [...,I]", Clause::C2);
  ref::tensor::check_shape(function, "bias", p.bias.shape(), {weight[0]}, Clause::C2);
  shape.back() = weight[0];
  return shape;
}

}  // namespace

DeviceTensor<double> linear(const DeviceTensor<double>& x, const Linear& parameters,
                            const Products& products) {
  DeviceTensor<double> y(x.device(), check_and_return_y_shape("linear", x, parameters));
  device::launch_elements(x.device(), y.size(), RepeatRow{parameters.bias.span(), y.span()});
  ops::matmul_into(x.device(), row_count(y.span(), y.shape()), row_count(x.span(), x.shape()),
                   ops::transposed(row_count(parameters.weight.span(), parameters.weight.shape())),
                   true, products);
  return y;
}

LinearGradients linear_backward(const DeviceTensor<double>& grad_y, const DeviceTensor<double>& x,
                                const Linear& parameters, const Products& products) {
  const Shape shape = check_and_return_y_shape("linear_backward", x, parameters);
  ref::tensor::check_shape("linear_backward", "grad_y", grad_y.shape(), shape, Clause::C3);
  Device& device = x.device();
  const Shape& weight = parameters.weight.shape();
  LinearGradients result{DeviceTensor<double>(device, x.shape()),
                         {DeviceTensor<double>(device, weight), ops::sum_columns(grad_y)}};
  const auto grad_rows = row_count(grad_y.span(), shape);
  ops::matmul_into(device, row_count(result.grad_x.span(), x.shape()), grad_rows,
                   row_count(parameters.weight.span(), weight), false, products);
  ops::matmul_into(device, row_count(result.parameters.weight.span(), weight),
                   ops::transposed(grad_rows), row_count(x.span(), x.shape()), false, products);
  return result;
}

}  // namespace normproof::gpu::nn
