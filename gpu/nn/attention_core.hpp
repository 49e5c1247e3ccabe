#pragma once

#include <functional>
#include <string>

#include "gpu/device/mask.hpp"
#include "gpu/ops/matmul.hpp"

/// ref/nn/attention_core.hpp on a device, for all heads at once.
namespace normproof::gpu::nn {

using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::Shape;
using ops::Products;

/// Queries [M,d], keys [S,d] and values [S,e], matrix by matrix; or their gradients.
template <class T>
struct AttentionOperands {
  ops::Matrices<T> queries, keys, values;
};

/// The scores of all heads: their tensor's shape, and how the heads are its matrices.
struct ScoreMatrices {
  Shape shape;
  ops::Matrices<double> layout;  ///< without data

  ops::Matrices<double> of(DeviceTensor<double>& scores) const;
  ops::Matrices<const double> of(const DeviceTensor<double>& scores) const;
};

/// The parts of the scores in which ref computes them: what is refused is said of the first that is
/// refused alone.
struct ScoreParts {
  std::size_t count = 0;
  Shape shape;  ///< of each
  std::function<ref::tensor::Mask(std::size_t part)> visible;
  std::function<std::string(std::size_t part)> place;
};

/// Computes  queries keys^T
DeviceTensor<double> attention_scores(Device& device, const AttentionOperands<const double>& in,
                                      const ScoreMatrices& scores, const Products& products);

/// Computes  the softmax of the scores, in each row over what is visible
/// Throws    ContractError as ref says it, of a part
DeviceTensor<double> attention_weights(const DeviceTensor<double>& scores,
                                       const DeviceMask& visible, const ScoreParts& parts);

/// Computes  context = weights values
void attend(Device& device, const DeviceTensor<double>& weights, const ScoreMatrices& scores,
            const AttentionOperands<const double>& in, const ops::Matrices<double>& context,
            const Products& products);

/// What the backward reads.
struct AttentionBackward {
  DeviceTensor<double> weights;  ///< the softmax of the scores
  DeviceTensor<double> used;     ///< what multiplied the values: weights behind dropout
  /// What dropout does to their gradients in the backward.
  std::function<DeviceTensor<double>(const DeviceTensor<double>&)> drop;
  ops::Matrices<const double> grad_context;
};

/// The gradients by queries, keys and values, into `out`.
/// Throws    ContractError as ref says it, of a part
void attention_backward_into(Device& device, const AttentionOperands<double>& out,
                             const AttentionOperands<const double>& in,
                             const AttentionBackward& backward, const ScoreMatrices& scores,
                             const DeviceMask& visible, const ScoreParts& parts,
                             const Products& products);

}  // namespace normproof::gpu::nn
