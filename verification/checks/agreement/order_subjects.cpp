#include "verification/checks/agreement/order_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/ops/dmma.hpp"
#include "gpu/ops/library_products.hpp"
#include "gpu/ops/matmul.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/matmul_blas.hpp"
#include "ref/ops/reduce.hpp"
#include "verification/checks/agreement/random_cases.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::device::Device;
using gpu::device::download;
using gpu::device::upload;
using gpu::ops::LibraryProducts;
using gpu::ops::Precision;
using gpu::ops::Products;
using ref::tensor::Tensor;
using Terms = std::vector<double>;

Tensor<double> arrange_in_rows(const Terms& terms, std::size_t rows) {
  Tensor<double> x = ref::tensor::empty_tensor<double>({rows, terms.size()});
  for (std::size_t r = 0; r < rows; ++r)
    std::copy(terms.begin(), terms.end(), x.data() + r * terms.size());
  return x;
}

Tensor<double> arrange_in_columns(const Terms& terms, std::size_t columns) {
  Tensor<double> x = ref::tensor::empty_tensor<double>({terms.size(), columns});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = terms[i / columns];
  return x;
}

Tensor<double> ones(std::size_t count, std::size_t columns) {
  return ref::tensor::full_tensor<double>({count, columns}, 1.0);
}

double run_device_product(const OrderProbeSettings& probe, const Terms& terms,
                          const Products& products) {
  return download(gpu::ops::matmul(upload(*probe.device, arrange_in_rows(terms, probe.side)),
                                   upload(*probe.device, ones(terms.size(), probe.side)),
                                   gpu::ops::Transpose::none, products))
      .data()[0];
}

/// Computes a sum by a low-precision product. The order of a sum is determined with the terms 1, M
/// and -M. Here each term is a product of two float16 numbers. M is 2^54 times the term 1, so that
/// a float32 sum that contains M loses the 1.
double run_low_precision_product(const OrderProbeSettings& probe, const Terms& terms,
                                 Precision precision) {
  Terms left, right;
  for (const double t : terms) {
    left.push_back(t == 1 ? 0x1p-12 : std::copysign(0x1p15, t));
    right.push_back(std::fabs(left.back()));
  }
  return 0x1p24 *
         download(gpu::ops::matmul(upload(*probe.device, arrange_in_rows(left, probe.side)),
                                   upload(*probe.device, arrange_in_columns(right, probe.side)),
                                   gpu::ops::Transpose::none, LibraryProducts(precision)))
             .data()[0];
}

std::pair<std::size_t, std::size_t> count_matching_dmma_bits(Device& device, std::size_t rows) {
  std::pair<std::size_t, std::size_t> same{0, 0};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Tensor<double> a = random_tensor(seed, "dmma/a", {rows, 300});
    const Tensor<double> b = random_tensor(seed, "dmma/b", {300, 8});
    const auto got = download(gpu::ops::dmma_product(upload(device, a), upload(device, b)));
    const auto expected = ref::ops::matmul(a, b);
    for (std::size_t i = 0; i < got.size(); ++i, ++same.second)
      if (got.data()[i] == expected.data()[i]) ++same.first;
  }
  return same;
}

OrderedComputation dmma_computation(const char* name, const char* instruction, std::size_t rows) {
  return {name,
          fmt::format("a product of {} rows by the tensor cores' {} in double, on a GPU", rows,
                      instruction),
          "R1",
          ComputationPlace::gpu_only,
          true,
          [rows](const OrderProbeSettings& probe, const Terms& t) {
            return download(gpu::ops::dmma_product(upload(*probe.device, arrange_in_rows(t, rows)),
                                                   upload(*probe.device, ones(t.size(), 8))))
                .data()[0];
          },
          [rows](Device& device) { return count_matching_dmma_bits(device, rows); }};
}

OrderedComputation library_computation(Precision precision) {
  const auto name = gpu::ops::precision_name(precision);
  return {fmt::format("cublas-{}", name),
          fmt::format("a product by cuBLAS of {} operands, on a GPU", name),
          "R1",
          ComputationPlace::gpu_only,
          true,
          [precision](const OrderProbeSettings& probe, const Terms& t) {
            return run_low_precision_product(probe, t, precision);
          }};
}

std::vector<OrderedComputation> make_ordered_computations() {
  return {
      {"sum-elements", "the sum over all elements of a tensor, by ref", "R2", ComputationPlace::ref,
       false,
       [](const OrderProbeSettings&, const Terms& t) {
         return ref::ops::sum_elements(arrange_in_rows(t, 1));
       }},
      {"sum-columns", "the sum along the columns of a matrix, by ref", "R2", ComputationPlace::ref,
       false,
       [](const OrderProbeSettings&, const Terms& t) {
         return ref::ops::sum_columns(arrange_in_columns(t, 1)).data()[0];
       }},
      {"matmul", "a matrix product by ref", "R1", ComputationPlace::ref, true,
       [](const OrderProbeSettings& probe, const Terms& t) {
         return ref::ops::matmul(arrange_in_rows(t, probe.side), ones(t.size(), probe.side))
             .data()[0];
       }},
      {"matmul-blas", "a matrix product by the BLAS that the program is linked with", "R1",
       ComputationPlace::ref, true,
       [](const OrderProbeSettings& probe, const Terms& t) {
         return ref::ops::matmul_blas(arrange_in_rows(t, probe.side), ones(t.size(), probe.side))
             .data()[0];
       }},
      {"device-sum-elements", "the sum over all elements of a tensor, on the device", "R2",
       ComputationPlace::device, false,
       [](const OrderProbeSettings& probe, const Terms& t) {
         return download(gpu::ops::sum_elements(upload(*probe.device, arrange_in_rows(t, 1))))
             .data()[0];
       }},
      {"device-sum-columns", "the sum along the columns of a matrix, on the device", "R2",
       ComputationPlace::device, false,
       [](const OrderProbeSettings& probe, const Terms& t) {
         return download(gpu::ops::sum_columns(upload(*probe.device, arrange_in_columns(t, 1))))
             .data()[0];
       }},
      {"device-matmul", "a matrix product by our kernel, on the device", "R1",
       ComputationPlace::device, true,
       [](const OrderProbeSettings& probe, const Terms& t) {
         return run_device_product(probe, t, gpu::ops::ordered_products());
       }},
      dmma_computation("device-dmma", "mma.m8n8k4", 8),
      dmma_computation("device-dmma-wide", "mma.m16n8k8", 16),
      {"cublas", "a matrix product by cuBLAS in double, on a GPU", "R1", ComputationPlace::gpu_only,
       true,
       [](const OrderProbeSettings& probe, const Terms& t) {
         return run_device_product(probe, t, LibraryProducts(Precision::float64));
       }},
      library_computation(Precision::float32),
      library_computation(Precision::tf32),
      library_computation(Precision::bfloat16),
      library_computation(Precision::float16),
  };
}

}  // namespace

double OrderedComputation::min_additions(std::size_t count, std::size_t side) const {
  const auto n = static_cast<double>(count);
  // A block of the device computes a tile of 64 by 64 elements even if the product is smaller.
  const std::size_t least_side = place == ComputationPlace::device ? std::size_t{64} : 1;
  const auto across = static_cast<double>(is_product ? std::max(side, least_side) : 1);
  return n * n * across * across;
}

const std::vector<OrderedComputation>& ordered_computations() {
  static const std::vector<OrderedComputation> subjects = make_ordered_computations();
  return subjects;
}

const OrderedComputation& find_ordered_computation(std::string_view name) {
  std::vector<std::string> known;
  known.reserve(ordered_computations().size());
  for (const OrderedComputation& subject : ordered_computations()) {
    if (subject.name == name) return subject;
    known.push_back(subject.name);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("subject", std::string(name), known));
}

}  // namespace normproof::verification::checks::agreement
