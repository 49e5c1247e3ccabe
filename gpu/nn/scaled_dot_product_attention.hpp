#pragma once

#include "gpu/nn/attention_core.hpp"
#include "ref/model/operation.hpp"

namespace normproof::gpu::nn {

struct DotProductForward {
  DeviceTensor<double> y;             ///< [B,H,T,E]
  DeviceTensor<double> log_sum_exp;   ///< [B,H,T]; absent if some query sees no key and has no sink
  DeviceTensor<double> queries;       ///< [B,H,T,D]: q multiplied by the scale
  DeviceTensor<double> weights;       ///< [B,H,T,S]
  DeviceTensor<double> tanh;          ///< [B,H,T,S]: tanh(scores / soft_cap); absent without a cap
  DeviceTensor<double> sink_weights;  ///< [B,H,T]: the weights of the sinks; absent without sinks
  Shape bias_shape;                   ///< no axes without a bias
  ref::tensor::Mask bias_visible;     ///< that of the forward
};

/// The optional inputs of attention that act on its scores.
struct ScoreInputs {
  /// [H]: one more score for each query of a head; absent without sinks.
  DeviceTensor<double> sinks = DeviceTensor<double>();
  /// [B or 1, H or 1, T, S], added to the scores; absent without a bias.
  DeviceTensor<double> bias = DeviceTensor<double>();
  /// On the host, as bias; false hides a key from a query; empty if it hides none.
  ref::tensor::Mask bias_visible = {};
};

struct DotProductGradients {
  DeviceTensor<double> q, k, v;
  DeviceTensor<double> sinks;  ///< [H]; absent without sinks
  DeviceTensor<double> bias;   ///< the shape of the bias; absent without a bias
};

/// Device version with the same formulas, preconditions and error messages as
/// ref/nn/scaled_dot_product_attention.hpp. With ordered_products it also gives the same bits.
/// Throws    ContractError
DotProductForward scaled_dot_product_attention(
    const DeviceTensor<double>& q, const DeviceTensor<double>& k, const DeviceTensor<double>& v,
    const DeviceMask& valid = {}, const ref::model::AttentionOptions& options = {},
    const Products& products = ops::ordered_products(), const ScoreInputs& extra = {});
DotProductGradients scaled_dot_product_attention_backward(
    const DeviceTensor<double>& grad_y, const DeviceTensor<double>& k,
    const DeviceTensor<double>& v, const DeviceMask& valid, const DotProductForward& forward,
    const ref::model::AttentionOptions& options = {},
    const Products& products = ops::ordered_products());

}  // namespace normproof::gpu::nn
