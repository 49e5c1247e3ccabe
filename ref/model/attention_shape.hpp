#pragma once

#include <string>
#include <string_view>

#include "ref/model/operation.hpp"
#include "ref/model/visible_keys.hpp"

namespace normproof::ref::model {

/// The extents of attention: q [B,H,T,D], k [B,G,S,D], v [B,G,S,E]. There are H heads of queries
/// and G heads of keys and values. Each head of keys and values is read by H/G heads of queries.
struct AttentionShape {
  std::size_t batch_size = 0, kv_heads = 0;
  QueriesAndKeys group;  ///< the queries that read one head of keys
  std::size_t features = 0, value_features = 0;
  tensor::Shape bias = {};  ///< [B or 1, H or 1, T, S]; no axes without a bias

  std::size_t heads() const { return kv_heads * group.heads; }
  tensor::Shape queries_shape() const { return {batch_size, heads(), group.tokens}; }
  tensor::Shape scores_shape() const { return {batch_size, heads(), group.tokens, group.keys}; }
  tensor::Shape y_shape() const { return {batch_size, heads(), group.tokens, value_features}; }

  /// Returns the mask of the keys that each query of one sample sees; see visible_keys. valid is
  /// [B,S] or empty.
  tensor::Mask visible_keys_of_sample(std::size_t sample, const tensor::Mask& valid,
                                      const KeyRange& range) const;
  /// Returns the mask of the keys that each query of the heads that read one key head sees: that of
  /// visible_keys_of_sample and bias_visible, which has the shape of the bias or is empty. If it is
  /// not empty, the result is [rows, keys].
  tensor::Mask visible_keys_of_head(std::size_t sample, std::size_t kv_head,
                                    const tensor::Mask& valid, const KeyRange& range,
                                    const tensor::Mask& bias_visible) const;
  /// Whether every query of every sample sees at least one key.
  bool every_query_sees_a_key(const tensor::Mask& valid, const KeyRange& range,
                              const tensor::Mask& bias_visible = {}) const;

  /// Returns the index of the first of the T S elements of the bias that a head of queries reads.
  std::size_t first_bias_index(std::size_t sample, std::size_t head) const;

  /// Returns text such as "attention in sample 2, heads 4 to 7". The text names the heads of
  /// queries that read the keys of head kv_head.
  std::string describe_heads(std::size_t sample, std::size_t kv_head) const;
};

/// Checks the shapes of the inputs of attention and returns its extents.
/// Shapes    `valid`, `sinks` and `bias` are the shapes of the mask, the sinks and the bias. They
///           have no axes if there is no such tensor
/// Requires  (C1) q, k and v have four axes and extents of at least 1
///           (C2) k has the B and D of q, v has the B, G and S of k, and G divides H
///           (C3) valid is [B,S] or has no axes  (C4) scale is finite and above 0
///           (C8) soft_cap, if there is one, is finite and above 0
///           (C9) sinks is [H] or has no axes
///           (C10) bias is [B or 1, H or 1, T, S] or has no axes
/// Throws    ContractError that names `function`
AttentionShape attention_shape(std::string_view function, const tensor::Shape& q,
                               const tensor::Shape& k, const tensor::Shape& v,
                               const tensor::Shape& valid, const AttentionOptions& options,
                               const tensor::Shape& sinks = {}, const tensor::Shape& bias = {});

/// A bias of attention scores whose elements -infinity hide keys, as two tensors of its shape.
struct SplitBias {
  tensor::Tensor<double> finite;  ///< the bias with 0 in place of -infinity
  tensor::Mask visible;           ///< false where the bias is -infinity; empty if it is so nowhere
};
SplitBias split_bias(const tensor::Tensor<double>& bias);

}  // namespace normproof::ref::model
