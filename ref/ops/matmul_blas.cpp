// The compile command defines HAVE_CBLAS=1. Otherwise xtensor-blas would use its own loops without
// a warning.
#include "ref/ops/matmul_blas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <xtensor-blas/xlinalg.hpp>

#include "ref/tensor/contract.hpp"

#if HAVE_CBLAS != 1
#error "matmul_blas.cpp is compiled with -DHAVE_CBLAS=1"
#endif

namespace {

// OpenBLAS is loaded at the first product. It then starts a thread for each processor. At the end
// of the program it waits for these threads, even if there was not enough memory to start them.
constexpr const char* kLibrary = "libopenblas.so.0";

template <class Function>
Function* load_blas_function(const char* name) {
  static void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const function = library == nullptr ? nullptr : ::dlsym(library, name);
  if (function == nullptr)
    throw std::runtime_error(std::string(name) + " of OpenBLAS cannot be had: " + ::dlerror());
  return reinterpret_cast<Function*>(function);
}

}  // namespace

// The functions that xtensor-blas calls for matmul_blas and singular_values. Its functions for
// vectors are never called, but they must exist if the program is compiled without optimization.
extern "C" {

double cblas_ddot(CBLAS_INT n, const double* x, CBLAS_INT step_x, const double* y,
                  CBLAS_INT step_y) {
  static auto* const blas = load_blas_function<decltype(cblas_ddot)>("cblas_ddot");
  return blas(n, x, step_x, y, step_y);
}

void cblas_dgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, double alpha,
                 const double* a, CBLAS_INT lda, const double* x, CBLAS_INT step_x, double beta,
                 double* y, CBLAS_INT step_y) {
  static auto* const blas = load_blas_function<decltype(cblas_dgemv)>("cblas_dgemv");
  blas(order, trans, m, n, alpha, a, lda, x, step_x, beta, y, step_y);
}

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, CBLAS_INT m,
                 CBLAS_INT n, CBLAS_INT k, double alpha, const double* a, CBLAS_INT lda,
                 const double* b, CBLAS_INT ldb, double beta, double* c, CBLAS_INT ldc) {
  static auto* const blas = load_blas_function<decltype(cblas_dgemm)>("cblas_dgemm");
  blas(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO part, CBLAS_TRANSPOSE trans, CBLAS_INT n,
                 CBLAS_INT k, double alpha, const double* a, CBLAS_INT lda, double beta, double* c,
                 CBLAS_INT ldc) {
  static auto* const blas = load_blas_function<decltype(cblas_dsyrk)>("cblas_dsyrk");
  blas(order, part, trans, n, k, alpha, a, lda, beta, c, ldc);
}

void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* size,
             int* numbers, int* info) {
  static auto* const lapack = load_blas_function<decltype(dgesdd_)>("dgesdd_");
  lapack(job, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, numbers, info);
}
}

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

Matrix copy_to_matrix(const Tensor<double>& t) {
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
  const Matrix left = copy_to_matrix(a);
  const Matrix right = copy_to_matrix(b);
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
  const auto values = std::get<1>(xt::linalg::svd(copy_to_matrix(a), false, false));
  return std::vector<double>(values.begin(), values.end());
}

double spectral_norm(const Tensor<double>& a) {
  return singular_values(a).front();
}

}  // namespace normproof::ref::ops
