// HAVE_CBLAS=1 comes from the command line: without it xtensor-blas runs loops of its own,
// silently.
#include "ref/ops/matmul_blas.hpp"

#include <xtensor-blas/xlinalg.hpp>

#include "ref/tensor/contract.hpp"

#if HAVE_CBLAS != 1
#error "matmul_blas.cpp is compiled with -DHAVE_CBLAS=1"
#endif

namespace normproof::ref::ops {

using numeric::Clause;

namespace {

using tensor::Shape;
using tensor::shape_of;
using tensor::Tensor;
using Matrix = xt::xtensor<double, 2, xt::layout_type::row_major>;

constexpr std::size_t kLargestBlasExtent = std::size_t{1} << 31;

bool is_matrix(const Shape& shape) {
  return shape.size() == 2 && shape[0] >= 1 && shape[1] >= 1 && shape[0] < kLargestBlasExtent &&
         shape[1] < kLargestBlasExtent;
}

Matrix copy_of(const Tensor<double>& t) {
  Matrix copy = Matrix::from_shape({t.shape(0), t.shape(1)});
  for (std::size_t i = 0; i < t.size(); ++i) copy.data()[i] = t.data()[i];
  return copy;
}

}  // namespace

Tensor<double> matmul_blas(const Tensor<double>& a, const Tensor<double>& b) {
  const Shape a_shape = shape_of(a);
  const Shape b_shape = shape_of(b);
  if (!is_matrix(a_shape) || !is_matrix(b_shape) || a_shape[1] != b_shape[0])
    numeric::contract_failure(
        "matmul_blas", "a and b",
        "have shapes " + tensor::to_string(a_shape) + " and " + tensor::to_string(b_shape),
        "a [M, K] and b [K, N], extents from 1 to 2^31 - 1", Clause::C1);
  tensor::check_finite("matmul_blas", "a", a, Clause::C2);
  tensor::check_finite("matmul_blas", "b", b, Clause::C2);
  const Matrix left = copy_of(a);
  const Matrix right = copy_of(b);
  const Matrix product = xt::linalg::dot(left, right);
  Tensor<double> result = tensor::empty_tensor<double>({a_shape[0], b_shape[1]});
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = product.data()[i];
  return result;
}

std::vector<double> singular_values(const Tensor<double>& a) {
  if (!is_matrix(shape_of(a)))
    numeric::contract_failure("singular_values", "a", "has shape " + tensor::to_string(shape_of(a)),
                              "[M, N], extents from 1 to 2^31 - 1", Clause::C1);
  tensor::check_finite("singular_values", "a", a, Clause::C2);
  const auto values = std::get<1>(xt::linalg::svd(copy_of(a), false, false));
  return std::vector<double>(values.begin(), values.end());
}

double spectral_norm(const Tensor<double>& a) {
  return singular_values(a).front();
}

}  // namespace normproof::ref::ops
