#include "gpu/nn/attention_core.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu/device/launch.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/cap_kernels.hpp"
#include "gpu/ops/softmax.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::gpu::nn {

using ops::Matrices;

namespace {

template <class T>
Matrices<T> make_matrices_with_layout(const Matrices<double>& layout, device::Span<T> data) {
  return {data,
          layout.first,
          layout.rows,
          layout.columns,
          layout.row_stride,
          layout.column_stride,
          layout.batch_size,
          layout.batch_stride,
          layout.inner_batch_size,
          layout.inner_batch_stride};
}

/// Throws the error that ref would throw. To find this error, the function cuts each tensor into
/// the parts that ref computes separately, and computes the softmax of one part after the other
/// until a part throws.
template <class Softmax>
[[noreturn]] void throw_error_of_first_part(const ScoreParts& parts,
                                            const std::vector<DeviceTensor<double>>& tensors,
                                            const Softmax& softmax) {
  std::size_t size = 1;
  for (const std::size_t extent : parts.shape) size *= extent;
  Device& device = tensors.front().device();
  for (std::size_t part = 0; part < parts.count; ++part) {
    std::vector<DeviceTensor<double>> own;
    for (const auto& whole : tensors) {
      const auto values = device::download(whole);
      own.push_back(device::upload(device, values.data() + part * size, parts.shape));
    }
    try {
      softmax(own, DeviceMask(device, parts.visible(part), parts.shape.back()));
    } catch (const ref::numeric::ContractError& error) {
      ref::numeric::ContractViolation violation = error.violation();
      violation.place = parts.place(part);
      throw ref::numeric::NotFiniteError(std::move(violation));
    }
  }
  throw std::logic_error("attention: what all heads are refused for, no part is");
}

}  // namespace

Matrices<double> ScoreMatrices::of(DeviceTensor<double>& scores) const {
  return make_matrices_with_layout(layout, scores.span());
}
Matrices<const double> ScoreMatrices::of(const DeviceTensor<double>& scores) const {
  return make_matrices_with_layout(layout, scores.span());
}

DeviceTensor<double> attention_scores(Device& device, const AttentionOperands<const double>& in,
                                      const ScoreMatrices& scores, const Products& products) {
  DeviceTensor<double> result(device, scores.shape);
  ops::matmul_into(device, scores.of(result), in.queries, ops::transposed(in.keys), false,
                   products);
  return result;
}

DeviceTensor<double> cap_scores(DeviceTensor<double>& scores, double cap) {
  DeviceTensor<double> tanh(scores.device(), scores.shape());
  device::launch_elements(scores.device(), scores.size(),
                          ops::CapScores{cap, scores.span(), tanh.span()});
  return tanh;
}

DeviceTensor<double> append_column(const DeviceTensor<double>& x, const DeviceTensor<double>& last,
                                   std::size_t rows_per_element) {
  Shape shape = x.shape();
  const std::size_t width = shape.back()++;
  DeviceTensor<double> result(x.device(), shape);
  device::launch_elements(
      x.device(), result.size(),
      AppendColumn{x.span(), last.span(), width, rows_per_element, result.span()});
  return result;
}

SplitColumns split_last_column(const DeviceTensor<double>& x) {
  Shape shape = x.shape();
  const std::size_t width = --shape.back();
  SplitColumns result{DeviceTensor<double>(x.device(), shape), {}};
  shape.pop_back();
  result.last = DeviceTensor<double>(x.device(), shape);
  device::launch_elements(
      x.device(), x.size(),
      SplitLastColumn{x.span(), width, result.first.span(), result.last.span()});
  return result;
}

DeviceTensor<double> attention_weights(const DeviceTensor<double>& scores,
                                       const DeviceMask& visible, const ScoreParts& parts) {
  try {
    return ops::softmax(scores, visible);
  } catch (const ref::numeric::ContractError&) {
    throw_error_of_first_part(
        parts, {scores}, [](const auto& part, const auto& mask) { ops::softmax(part[0], mask); });
  }
}

void attend(Device& device, const DeviceTensor<double>& weights, const ScoreMatrices& scores,
            const AttentionOperands<const double>& in, const Matrices<double>& context,
            const Products& products) {
  ops::matmul_into(device, context, scores.of(weights), in.values, false, products);
}

ScoreGradients write_attention_gradients(Device& device, const AttentionOperands<double>& out,
                                         const AttentionOperands<const double>& in,
                                         const AttentionBackward& backward,
                                         const ScoreMatrices& scores, const DeviceMask& visible,
                                         const ScoreParts& parts, const Products& products) {
  const auto multiply = [&](const Matrices<double>& c, const Matrices<const double>& a,
                            const Matrices<const double>& b) {
    ops::matmul_into(device, c, a, b, false, products);
  };
  multiply(out.values, ops::transposed(scores.of(backward.used)), backward.grad_context);
  DeviceTensor<double> product(device, scores.shape);
  multiply(scores.of(product), backward.grad_context, ops::transposed(in.values));
  DeviceTensor<double> grad_weights = backward.drop(product), weights = backward.weights;
  const bool with_sinks = backward.sink_weights.is_given();
  if (with_sinks) {
    grad_weights = append_column(grad_weights, device::full_tensor(device, {1}, 0), 1);
    weights = append_column(weights, backward.sink_weights, 1);
  }
  DeviceTensor<double> grad_scores;
  try {
    grad_scores = ops::softmax_backward(grad_weights, weights, visible);
  } catch (const ref::numeric::ContractError&) {
    throw_error_of_first_part(
        parts, {grad_weights, weights},
        [](const auto& part, const auto& mask) { ops::softmax_backward(part[0], part[1], mask); });
  }
  ScoreGradients result;
  if (with_sinks) {
    SplitColumns columns = split_last_column(grad_scores);
    grad_scores = std::move(columns.first);
    result.sinks = std::move(columns.last);
  }
  result.scores = grad_scores;
  if (backward.tanh.is_given()) {
    grad_scores = DeviceTensor<double>(device, result.scores.shape());
    device::launch_elements(device, grad_scores.size(),
                            Scale{1.0, result.scores.span(), grad_scores.span()});
    device::launch_elements(device, grad_scores.size(),
                            ops::CapScoresBackward{backward.tanh.span(), grad_scores.span()});
  }
  multiply(out.queries, scores.of(std::as_const(grad_scores)), in.keys);
  multiply(out.keys, ops::transposed(scores.of(std::as_const(grad_scores))), in.queries);
  return result;
}

}  // namespace normproof::gpu::nn
