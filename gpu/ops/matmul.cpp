#include "gpu/ops/matmul.hpp"

#include <fmt/format.h>

#include "gpu/ops/matmul_kernels.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::ops {

using ref::numeric::Clause;

namespace {

using device::launch_elements;
using device::Shape;

template <class T>
Shape shape_of_matrices(const Matrices<T>& m) {
  if (m.batches() == 1) return {m.rows, m.columns};
  if (m.inner_batch_size == 1) return {m.batch_size, m.rows, m.columns};
  return {m.batch_size, m.inner_batch_size, m.rows, m.columns};
}

std::string format_both_shapes(const Shape& a, const Shape& b) {
  return fmt::format("have shapes {} and {}", ref::tensor::to_string(a), ref::tensor::to_string(b));
}

// Repeats a single matrix for every batch of c.
bool broadcast_to(const Matrices<double>& c, Matrices<const double>& x) {
  if (x.batches() == 1) {
    x.batch_stride = 0;
    x.inner_batch_stride = 0;
    x.batch_size = c.batch_size;
    x.inner_batch_size = c.inner_batch_size;
  }
  return x.batch_size == c.batch_size && x.inner_batch_size == c.inner_batch_size;
}

}  // namespace

void matmul_into(Device& device, const Matrices<double>& c, Matrices<const double> a,
                 Matrices<const double> b, bool add, const Products& products) {
  const Shape a_shape = shape_of_matrices(a), b_shape = shape_of_matrices(b);
  const bool agree = broadcast_to(c, a) && broadcast_to(c, b) && a.columns == b.rows &&
                     c.rows == a.rows && c.columns == b.columns;
  if (!agree)
    ref::numeric::contract_failure(add ? "matmul_add" : "matmul_into", "a and b",
                                   fmt::format("{} for c {}", format_both_shapes(a_shape, b_shape),
                                               ref::tensor::to_string(shape_of_matrices(c))),
                                   "a [M, K], b [K, N] and c [M, N] with the batch of c or none",
                                   Clause::C1);
  const std::size_t elements = c.batches() * c.rows * c.columns;
  if (elements == 0 || (a.columns == 0 && add)) return;
  if (a.columns == 0) {
    launch_elements(device, elements, ClearMatrices{c});
    return;
  }
  products.multiply(device, c, a, b, add);
}

DeviceTensor<double> matmul(const DeviceTensor<double>& a, const DeviceTensor<double>& b,
                            Transpose transpose, const Products& products) {
  const Shape &a_shape = a.shape(), &b_shape = b.shape();
  const auto throw_shape_error = [&](const char* expectation) {
    ref::numeric::contract_failure("matmul", "a and b", format_both_shapes(a_shape, b_shape),
                                   expectation, Clause::C1);
  };
  if (a_shape.size() < 2 || b_shape.size() < 2) throw_shape_error("rank 2 or more");
  const bool same_batch = b_shape.size() == 2 || (a_shape.size() == b_shape.size() &&
                                                  Shape(a_shape.begin(), a_shape.end() - 2) ==
                                                      Shape(b_shape.begin(), b_shape.end() - 2));
  if (!same_batch) throw_shape_error("equal leading extents, or b of rank 2");
  Matrices<const double> left = matrices(a.span(), a_shape), right = matrices(b.span(), b_shape);
  if (transpose == Transpose::a) left = transposed(left);
  if (transpose == Transpose::b) right = transposed(right);
  if (left.columns != right.rows)
    throw_shape_error(transpose == Transpose::none ? "a [..., M, K] and b [..., K, N]"
                      : transpose == Transpose::a  ? "a [..., K, M] and b [..., K, N]"
                                                   : "a [..., M, K] and b [..., N, K]");
  Shape shape(a_shape.begin(), a_shape.end() - 2);
  left.batch_size = 1;
  for (const std::size_t extent : shape) left.batch_size *= extent;
  right.batch_size = b_shape.size() == 2 ? 1 : left.batch_size;
  shape.push_back(left.rows);
  shape.push_back(right.columns);
  Device& device = a.is_given() ? a.device() : b.device();
  DeviceTensor<double> c(device, shape);
  Matrices<double> result = matrices(c.span(), shape);
  result.batch_size = left.batch_size;
  // If all matrices of a share one b, they form one tall matrix.
  if (b_shape.size() == 2 && transpose != Transpose::a && left.batch_size > 1) {
    left = matrix(left.data, left.batch_size * left.rows, left.columns);
    result = matrix(result.data, left.rows, result.columns);
  }
  matmul_into(device, result, left, right, false, products);
  return c;
}

}  // namespace normproof::gpu::ops
