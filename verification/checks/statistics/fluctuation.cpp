#include "verification/checks/statistics/fluctuation.hpp"

#include "ref/numeric/square_root.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::statistics {

using ref::tensor::shape_of;
using ref::tensor::Tensor;

double euclidean_norm(const Tensor<double>& v) {
  Tensor<double> squares = ref::tensor::empty_tensor<double>(shape_of(v));
  for (std::size_t i = 0; i < v.size(); ++i) squares.data()[i] = v.data()[i] * v.data()[i];
  return ref::numeric::square_root(ref::ops::sum_elements(squares));
}

Tensor<double> channel_square_roots(const Tensor<double>& v) {
  Tensor<double> roots = v;
  for (double& value : roots) value = ref::numeric::square_root(value);
  return roots;
}

Fluctuation fluctuation(const Tensor<double>& batch, const Tensor<double>& running,
                        const Tensor<double>& scale) {
  ref::tensor::check_shape("fluctuation", "running", shape_of(running), shape_of(batch),
                           ref::numeric::Clause::C1);
  ref::tensor::check_shape("fluctuation", "scale", shape_of(scale), shape_of(batch),
                           ref::numeric::Clause::C1);
  Tensor<double> difference = ref::tensor::empty_tensor<double>(shape_of(batch));
  for (std::size_t i = 0; i < batch.size(); ++i)
    difference.data()[i] = batch.data()[i] - running.data()[i];
  const double distance = euclidean_norm(difference);
  return {.absolute = distance / static_cast<double>(batch.size()),
          .relative = distance == 0 ? 0 : distance / euclidean_norm(scale)};
}

}  // namespace normproof::verification::checks::statistics
