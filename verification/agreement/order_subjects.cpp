#include "verification/agreement/order_subjects.hpp"

#include <algorithm>

#include "gpu/ops/matmul.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/matmul_blas.hpp"
#include "ref/ops/reduce.hpp"

namespace normproof::verification::agreement {
namespace {

using gpu::device::Device;
using gpu::device::download;
using gpu::device::upload;
using ref::tensor::Tensor;
using Terms = std::vector<double>;

constexpr std::size_t kSide = 8;  // of the products: a product of vectors may take another way

Tensor<double> as_rows(const Terms& terms, std::size_t rows) {
  Tensor<double> x = ref::tensor::empty_tensor<double>({rows, terms.size()});
  for (std::size_t r = 0; r < rows; ++r)
    std::copy(terms.begin(), terms.end(), x.data() + r * terms.size());
  return x;
}

Tensor<double> as_column(const Terms& terms) {
  Tensor<double> x = as_rows(terms, 1);
  x.reshape({terms.size(), std::size_t{1}});
  return x;
}

Tensor<double> ones(std::size_t count) {
  return ref::tensor::full_tensor<double>({count, kSide}, 1.0);
}

double device_product(Device& device, const Terms& terms, gpu::ops::Gemm gemm) {
  return download(gpu::ops::matmul(upload(device, as_rows(terms, kSide)),
                                   upload(device, ones(terms.size())), gpu::ops::Transpose::none,
                                   gemm))
      .data()[0];
}

std::vector<OrderSubject> make_order_subjects() {
  using gpu::ops::Gemm;
  return {
      {"sum-elements", "the sum over all elements of a tensor, by ref", "R2", false, false,
       [](Device*, const Terms& t) { return ref::ops::sum_elements(as_rows(t, 1)); }},
      {"sum-columns", "the sum along the columns of a matrix, by ref", "R2", false, false,
       [](Device*, const Terms& t) { return ref::ops::sum_columns(as_column(t)).data()[0]; }},
      {"matmul", "a matrix product by ref", "R1", false, false,
       [](Device*, const Terms& t) {
         return ref::ops::matmul(as_rows(t, kSide), ones(t.size())).data()[0];
       }},
      {"matmul-blas", "a matrix product by the BLAS that the program is linked with", "R1", false,
       false,
       [](Device*, const Terms& t) {
         return ref::ops::matmul_blas(as_rows(t, kSide), ones(t.size())).data()[0];
       }},
      {"device-sum-elements", "the sum over all elements of a tensor, on the device", "R2", true,
       false,
       [](Device* d, const Terms& t) {
         return download(gpu::ops::sum_elements(upload(*d, as_rows(t, 1)))).data()[0];
       }},
      {"device-sum-columns", "the sum along the columns of a matrix, on the device", "R2", true,
       false,
       [](Device* d, const Terms& t) {
         return download(gpu::ops::sum_columns(upload(*d, as_column(t)))).data()[0];
       }},
      {"device-matmul", "a matrix product by our kernel, on the device", "R1", true, false,
       [](Device* d, const Terms& t) { return device_product(*d, t, Gemm::ordered); }},
      {"cublas", "a matrix product by cuBLAS, on a GPU", "R1", true, true,
       [](Device* d, const Terms& t) { return device_product(*d, t, Gemm::cublas); }},
  };
}

}  // namespace

const std::vector<OrderSubject>& order_subjects() {
  static const std::vector<OrderSubject> subjects = make_order_subjects();
  return subjects;
}

const OrderSubject& order_subject(std::string_view name) {
  std::vector<std::string> known;
  known.reserve(order_subjects().size());
  for (const OrderSubject& subject : order_subjects()) {
    if (subject.name == name) return subject;
    known.push_back(subject.name);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("subject", std::string(name), known));
}

}  // namespace normproof::verification::agreement
