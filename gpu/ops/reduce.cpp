#include "gpu/ops/reduce.hpp"

#include <algorithm>

#include "gpu/device/recording.hpp"
#include "gpu/ops/reduce_kernels.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::ops {
namespace {

using device::launch_blocks;
using device::launch_elements;
using ref::numeric::Clause;
using ref::numeric::contract_failure;
using ref::tensor::to_string;

void check_matrix(std::string_view function, const Shape& shape) {
  if (shape.size() != 2)
    contract_failure(function, "x", "has shape " + to_string(shape), "[N, D]", Clause::C1);
  ref::tensor::check_activations(function, "x", shape);
}

DeviceTensor<double> sums(const DeviceTensor<double>& x, device::ConstReals w, std::size_t rows) {
  DeviceTensor<double> y(x.device(), {rows});
  launch_blocks(x.device(), rows, WarpRows<SumRow>{{x.span(), w, x.size() / rows, y.span()}});
  return y;
}

std::size_t find_rejected_element(const DeviceTensor<double>& x, AcceptedValues accepts) {
  if (!x.is_given()) return 0;
  if (const auto* const recording = x.device().recording()) {
    launch_elements(x.device(), x.size(),
                    FlagRejectedElements{x.span(), accepts, recording->flag()});
    return x.size();
  }
  const std::size_t chunks = (x.size() - 1) / FindRejectedElement::kChunk + 1;
  DeviceTensor<std::size_t> first(x.device(), {chunks});
  launch_elements(x.device(), chunks, FindRejectedElement{x.span(), accepts, first.span()});
  const auto found = device::download(first);
  return *std::min_element(found.begin(), found.end());
}

}  // namespace

DeviceTensor<double> sum_elements(const DeviceTensor<double>& x) {
  if (!x.is_given())
    contract_failure("sum_elements", "x", "has no element", "at least one element", Clause::C1);
  return sums(x, {}, 1);
}

DeviceTensor<double> sum_rows(const DeviceTensor<double>& x) {
  check_matrix("sum_rows", x.shape());
  return sums(x, {}, x.shape()[0]);
}

DeviceTensor<double> sum_columns(const DeviceTensor<double>& x) {
  if (x.shape().size() < 2 || !x.is_given())
    contract_failure("sum_columns", "x", "has shape " + to_string(x.shape()),
                     "[..., D], every extent at least 1", Clause::C1);
  const std::size_t width = x.shape().back();
  return column_sum(x.device(), x.size() / width, width, ElementTerm{x.span(), width});
}

DeviceTensor<double> dot_rows(const DeviceTensor<double>& x, const DeviceTensor<double>& w) {
  check_matrix("dot_rows", x.shape());
  ref::tensor::check_shape("dot_rows", "w", w.shape(), x.shape(), Clause::C2);
  return sums(x, w.span(), x.shape()[0]);
}

std::size_t find_first_not_finite(const DeviceTensor<double>& x) {
  return find_rejected_element(x, AcceptedValues::finite);
}
std::size_t find_first_negative(const DeviceTensor<double>& x) {
  return find_rejected_element(x, AcceptedValues::not_negative);
}
std::size_t find_first_not_positive(const DeviceTensor<double>& x) {
  return find_rejected_element(x, AcceptedValues::positive);
}

}  // namespace normproof::gpu::ops
