#include "ref/ops/reduce.hpp"

#include <algorithm>

#include "ref/numeric/fp_environment.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/lane_sum.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {

using numeric::Clause;

namespace {

using tensor::shape_of;
using tensor::Tensor;

constexpr std::size_t kGrain = 4096;  // elements per range; does not affect the bits

void check_matrix(std::string_view function, const tensor::Shape& shape) {
  if (shape.size() != 2)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape), "[N, D]",
                              Clause::C1);
  tensor::check_activations(function, "x", shape);
}

}  // namespace

template <numeric::Real T>
T sum_elements(const Tensor<T>& x) {
  if (x.size() == 0)
    numeric::contract_failure("sum_elements", "x", "has no element", "at least one element",
                              Clause::C1);
  numeric::check_fp_mode();
  return contiguous_lane_sum<T>(x.size(), [p = x.data()](auto at) { return at(p); });
}

template <numeric::Real T>
Tensor<T> sum_rows(const Tensor<T>& x) {
  check_matrix("sum_rows", shape_of(x));
  const std::size_t width = x.shape(1);
  Tensor<T> y = tensor::empty_tensor<T>({x.shape(0)});
  numeric::parallel_for(x.shape(0), kGrain / width + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const T* p = x.data() + row * width;
      y.data()[row] = contiguous_lane_sum<T>(width, [p](auto at) { return at(p); });
    }
  });
  return y;
}

template <numeric::Real T>
Tensor<T> sum_columns(const Tensor<T>& x) {
  const tensor::Shape shape = shape_of(x);
  if (shape.size() < 2 || x.size() == 0)
    numeric::contract_failure("sum_columns", "x", "has shape " + tensor::to_string(shape),
                              "[..., D], every extent at least 1", Clause::C1);
  const std::size_t width = shape.back();
  const std::size_t rows = x.size() / width;
  Tensor<T> y = tensor::empty_tensor<T>({width});
  // There is one range per thread, because a wider range means longer contiguous pieces of rows.
  const std::size_t share = width / static_cast<std::size_t>(numeric::num_threads());
  const std::size_t grain = std::max(kGrain / rows + 1, share);
  numeric::parallel_for(width, grain, [&](std::size_t begin, std::size_t end) {
    const auto terms = [&, begin](std::size_t row) {
      return [p = x.data() + row * width + begin](auto at) { return at(p); };
    };
    column_sum<T>(rows, end - begin, y.data() + begin,
                  [&](T* sum, auto... row) { accumulate_rows(sum, end - begin, terms(row)...); });
  });
  return y;
}

template <numeric::Real T>
Tensor<T> dot_rows(const Tensor<T>& x, const Tensor<T>& w) {
  check_matrix("dot_rows", shape_of(x));
  tensor::check_shape("dot_rows", "w", shape_of(w), shape_of(x), Clause::C2);
  const std::size_t width = x.shape(1);
  Tensor<T> y = tensor::empty_tensor<T>({x.shape(0)});
  numeric::parallel_for(x.shape(0), kGrain / width + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const T* p = x.data() + row * width;
      const T* q = w.data() + row * width;
      y.data()[row] = contiguous_lane_sum<T>(width, [p, q](auto at) { return at(p) * at(q); });
    }
  });
  return y;
}

#define NORMPROOF_INSTANTIATE(T)                    \
  template T sum_elements(const Tensor<T>&);        \
  template Tensor<T> sum_rows(const Tensor<T>&);    \
  template Tensor<T> sum_columns(const Tensor<T>&); \
  template Tensor<T> dot_rows(const Tensor<T>&, const Tensor<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
