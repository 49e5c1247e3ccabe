#include "gpu/nn/rotary_embedding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "gpu/device/launch.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {
namespace {

using ref::numeric::Clause;

void check_finite_table(std::string_view function, std::string_view argument,
                        const DeviceTensor<double>& t) {
  if (ops::find_first_not_finite(t) < t.size())
    ref::tensor::check_finite(function, argument, device::download(t), Clause::C3);
}

DeviceTensor<double> rotate(std::string_view function, std::string_view argument,
                            const DeviceTensor<double>& x, const DeviceTensor<double>& cos,
                            const DeviceTensor<double>& sin, bool interleaved, bool back) {
  const device::Shape& shape = x.shape();
  if (shape.size() < 2 || !x.is_given())
    ref::numeric::contract_failure(function, argument, "has shape " + ref::tensor::to_string(shape),
                                   "[..., T, D] with every extent at least 1", Clause::C1);
  const std::size_t tokens = shape[shape.size() - 2], width = shape.back();
  const device::Shape& table = cos.shape();
  if (table.size() != 2 || table[0] != tokens || table[1] == 0 || 2 * table[1] > width)
    ref::numeric::contract_failure(function, "cos", "has shape " + ref::tensor::to_string(table),
                                   fmt::format("[{}, P], P from 1 to {}", tokens, width / 2),
                                   Clause::C2);
  ref::tensor::check_shape(function, "sin", sin.shape(), table, Clause::C2);
  check_finite_table(function, argument, x);
  check_finite_table(function, "cos", cos);
  check_finite_table(function, "sin", sin);
  DeviceTensor<double> y(x.device(), shape);
  device::launch_elements(x.device(), x.size(),
                          RotatePairs{x.span(), cos.span(), sin.span(), tokens, width, table[1],
                                      interleaved, back, y.span()});
  return y;
}

}  // namespace

DeviceTensor<double> rotary_embedding(const DeviceTensor<double>& x,
                                      const DeviceTensor<double>& cos,
                                      const DeviceTensor<double>& sin,
                                      const ref::model::RopeOptions& options) {
  return rotate("rotary_embedding", "x", x, cos, sin, options.interleaved, false);
}
DeviceTensor<double> rotary_embedding_backward(const DeviceTensor<double>& grad_y,
                                               const DeviceTensor<double>& cos,
                                               const DeviceTensor<double>& sin,
                                               const ref::model::RopeOptions& options) {
  return rotate("rotary_embedding_backward", "grad_y", grad_y, cos, sin, options.interleaved, true);
}

}  // namespace normproof::gpu::nn
