#pragma once

#include <functional>
#include <string>

#include "gpu/device/mask.hpp"
#include "gpu/ops/matmul.hpp"

/// Device version of ref/nn/attention_core.hpp, for all heads at once.
namespace normproof::gpu::nn {

using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::Shape;
using ops::Products;

/// The queries [M,d], keys [S,d] and values [S,e] of each attention head, or the gradients of these
/// three.
template <class T>
struct AttentionOperands {
  ops::Matrices<T> queries, keys, values;
};

/// The layout of the scores of all heads: the shape of the tensor that holds them, and where the
/// score matrix of each head lies in this tensor.
struct ScoreMatrices {
  Shape shape;
  ops::Matrices<double> layout;  ///< the extents and strides; holds no data

  ops::Matrices<double> of(DeviceTensor<double>& scores) const;
  ops::Matrices<const double> of(const DeviceTensor<double>& scores) const;
};

/// Describes the parts into which ref splits the scores. ref computes one part after the other, so
/// an error message names the first part that is invalid.
struct ScoreParts {
  std::size_t count = 0;
  Shape shape;  ///< the shape of each part
  std::function<ref::tensor::Mask(std::size_t part)> visible;
  std::function<std::string(std::size_t part)> place;
};

/// Computes the attention scores of every head.
/// Computes  queries keys^T
DeviceTensor<double> attention_scores(Device& device, const AttentionOperands<const double>& in,
                                      const ScoreMatrices& scores, const Products& products);

/// Limits scores to the range from -cap to cap, in place, and returns what the backward reads. The
/// formulas and bits are those of cap_scores in ref/nn/attention_core.hpp.
DeviceTensor<double> cap_scores(DeviceTensor<double>& scores, double cap);

/// A tensor whose rows were divided into their first elements [..., S] and their last element
/// [...].
struct SplitColumns {
  DeviceTensor<double> first, last;
};

/// Returns x [..., S] with one more element at the end of each row. The element of row r is element
/// r / rows_per_element of `last`, which is repeated if it has fewer elements.
DeviceTensor<double> append_column(const DeviceTensor<double>& x, const DeviceTensor<double>& last,
                                   std::size_t rows_per_element);
SplitColumns split_last_column(const DeviceTensor<double>& x);

/// Computes the attention weights.
/// Computes  the softmax of each row of the scores over the visible keys
/// Throws    ContractError with the message of ref for the first invalid part
DeviceTensor<double> attention_weights(const DeviceTensor<double>& scores,
                                       const DeviceMask& visible, const ScoreParts& parts);

/// Computes the context of every head from the attention weights.
/// Computes  context = weights values
void attend(Device& device, const DeviceTensor<double>& weights, const ScoreMatrices& scores,
            const AttentionOperands<const double>& in, const ops::Matrices<double>& context,
            const Products& products);

/// The inputs of the backward of attention.
struct AttentionBackward {
  DeviceTensor<double> weights;  ///< the softmax of the scores
  DeviceTensor<double> used;     ///< the weights after dropout, which multiply the values
  /// Applies the dropout of the forward to a gradient of the weights.
  std::function<DeviceTensor<double>(const DeviceTensor<double>&)> drop;
  ops::Matrices<const double> grad_context;
  /// The tensor that cap_scores returned; absent if the scores have no cap.
  DeviceTensor<double> tanh = DeviceTensor<double>();
  /// The weights of the sinks, one for each query; absent without sinks. With sinks, the masks
  /// `visible` and the parts have one more column, which is the sink.
  DeviceTensor<double> sink_weights = DeviceTensor<double>();
};

/// The gradients of what is added to the scores: one number for the sink of each query, and the
/// gradients of the scores after the cap, [..., S].
struct ScoreGradients {
  DeviceTensor<double> sinks;  ///< absent without sinks
  DeviceTensor<double> scores;
};

/// Writes the gradients of queries, keys and values to `out`, and returns those of the scores.
/// Throws    ContractError with the message of ref for the first invalid part
ScoreGradients write_attention_gradients(Device& device, const AttentionOperands<double>& out,
                                         const AttentionOperands<const double>& in,
                                         const AttentionBackward& backward,
                                         const ScoreMatrices& scores, const DeviceMask& visible,
                                         const ScoreParts& parts, const Products& products);

}  // namespace normproof::gpu::nn
