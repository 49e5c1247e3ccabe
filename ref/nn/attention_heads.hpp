#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ref/model/attention_groups.hpp"
#include "ref/model/visible_keys.hpp"
#include "ref/nn/attention_core.hpp"
#include "ref/nn/multi_head_attention.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"

/// Multi-head attention without its linear maps. Queries [B,T,D] attend to keys and values [B,S,D].
/// These tensors may be parts of larger tensors (FeatureRows).
namespace normproof::ref::nn {

/// The extents of multi-head attention.
struct HeadExtents {
  std::size_t batch_size, queries, keys, d_model, num_heads;

  std::size_t d_k() const { return d_model / num_heads; }
  std::size_t scores() const { return queries * keys; }  ///< scores per head
  tensor::Shape scores_shape() const { return {batch_size, num_heads, queries, keys}; }
};

/// A view of D adjacent features of each row of a tensor. A row of the tensor has `width` features,
/// and the view starts at feature `first`.
template <class T>
struct FeatureRows {
  T* first;
  std::size_t width;
};

/// Views of the queries, keys and values of all heads, or of their gradients.
template <class T>
struct HeadOperands {
  FeatureRows<T> queries, keys, values;
};

/// Some adjacent heads of one sentence. They are computed together, while their scores are in the
/// caches.
struct HeadGroup {
  const HeadExtents& all;
  std::size_t sentence, head, count;

  template <class T>
  AttentionOperands<T> operands(const HeadOperands<T>& of) const {
    return {part(of.queries, all.queries), part(of.keys, all.keys), part(of.values, all.keys)};
  }
  /// Multiplies the queries of the group's heads by 1 / sqrt(d_k).
  template <class T>
  void scale(const FeatureRows<T>& queries) const {
    const T factor = attention_scale<T>(all.d_k());
    T* row = queries.first + sentence * all.queries * queries.width + head * all.d_k();
    for (std::size_t i = 0; i < all.queries; ++i, row += queries.width)
      for (std::size_t d = 0; d < count * all.d_k(); ++d) row[d] *= factor;
  }
  /// Returns a view of the group's heads in `rows`, a tensor with the shape of the queries.
  template <class T>
  ops::MatrixView<T> queries_view(T* rows) const {
    return part(FeatureRows<T>{rows, all.d_model}, all.queries);
  }
  tensor::Shape scores_shape() const { return {count, all.queries, all.keys}; }
  /// Returns the index of the group's first score in a tensor [B,H,T,S].
  std::size_t first_score_index() const { return (sentence * all.num_heads + head) * all.scores(); }

  /// Returns the mask of the keys that each query may attend to.
  Mask visible(const Mask& attention_mask, bool causal) const {
    const bool* const valid =
        tensor::is_given(attention_mask) ? attention_mask.data() + sentence * all.keys : nullptr;
    return model::visible_keys({1, all.queries, all.keys}, valid, {.causal = causal});
  }

  /// Copy the scores or weights of the group's heads to a tensor [B,H,T,S], or from it.
  template <class T>
  void copy_to_full_tensor(const Tensor<T>& own, Tensor<T>& whole) const {
    std::copy_n(own.data(), own.size(), whole.data() + first_score_index());
  }
  template <class T>
  Tensor<T> copy_from_full_tensor(const Tensor<T>& whole) const {
    Tensor<T> own = tensor::empty_tensor<T>(scores_shape());
    std::copy_n(whole.data() + first_score_index(), own.size(), own.data());
    return own;
  }

 private:
  template <class T>
  ops::MatrixView<T> part(const FeatureRows<T>& of, std::size_t rows) const {
    T* const first = of.first + sentence * rows * of.width + head * all.d_k();
    return {first, rows, all.d_k(), of.width, 1, 1, rows * of.width, count, all.d_k()};
  }
};

/// Calls f(group) for all groups of heads, on the allowed number of threads. If f throws, the error
/// names the sentence and the heads of the group.
template <class T, class F>
void for_each_group(const HeadExtents& heads, F f) {
  const std::size_t count = model::heads_per_group(heads.num_heads, heads.scores(), sizeof(T));
  const std::size_t each = heads.num_heads / count;
  numeric::parallel_for(heads.batch_size * each, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const HeadGroup group{heads, i / each, i % each, count};
      try {
        f(group);
      } catch (const numeric::NotFiniteError& error) {
        numeric::ContractViolation violation = error.violation();
        violation.place = fmt::format("attention in sentence {}, heads {} to {}", group.sentence,
                                      group.head, group.head + count - 1);
        throw numeric::NotFiniteError(std::move(violation));
      }
    }
  });
}

/// Checks num_heads as clause C2 of multi_head_attention requires.
inline void check_num_heads(std::string_view function, std::size_t num_heads, std::size_t d_model) {
  if (num_heads == 0 || d_model % num_heads != 0)
    numeric::contract_failure(function, "num_heads", fmt::format("is {}", num_heads),
                              fmt::format("a divisor of D, {}", d_model), numeric::Clause::C2);
}

/// Returns the attention weights of a group of heads: the softmax of their scores.
template <class T>
Tensor<T> attention_weights_of_group(const HeadGroup& group, const HeadOperands<const T>& in,
                                     const Mask& keys) {
  return ops::softmax(attention_scores(group.operands(in), group.scores_shape()), keys);
}

inline Mask dropout_mask_of_group(const HeadGroup& group, const AttentionOptions& options) {
  return dropout_mask(group.scores_shape(), options.dropout, options.key,
                      group.first_score_index());
}

/// Computes attention and stores the context [B,T,D] in `saved`. If options.keep_weights is true,
/// it also stores the attention weights and the dropout mask `keep`, each [B,H,T,S]. `queries` must
/// be the queries of `in`; they are multiplied by 1 / sqrt(d_k) in place.
template <class T, class Saved>
void attend_per_head(const HeadExtents& heads, const FeatureRows<T>& queries,
                     const HeadOperands<const T>& in, const Mask& attention_mask,
                     const AttentionOptions& options, Saved& saved) {
  saved.context = tensor::empty_tensor<T>({heads.batch_size, heads.queries, heads.d_model});
  const bool drops = options.dropout > 0;
  if (options.keep_weights) {
    saved.weights = tensor::empty_tensor<T>(heads.scores_shape());
    if (drops) saved.keep = tensor::empty_tensor<bool>(heads.scores_shape());
  }
  for_each_group<T>(heads, [&](const HeadGroup& group) {
    group.scale(queries);
    Tensor<T> weights =
        attention_weights_of_group<T>(group, in, group.visible(attention_mask, options.causal));
    if (options.keep_weights) group.copy_to_full_tensor(weights, saved.weights);
    if (drops) {
      const Mask keep = dropout_mask_of_group(group, options);
      if (options.keep_weights) group.copy_to_full_tensor(keep, saved.keep);
      dropout_in_place(weights, keep, options.dropout);
    }
    apply_attention_weights<T>(weights, group.operands(in),
                               group.queries_view(saved.context.data()));
  });
}

/// Computes the gradients `out` of queries, keys and values from grad_context [B,T,D]. `in` holds
/// the queries after scaling, but the gradient of the queries is with respect to the queries before
/// scaling.
template <class T, class Saved>
void attend_per_head_backward(const HeadExtents& heads, const HeadOperands<T>& out,
                              const HeadOperands<const T>& in, const Tensor<T>& grad_context,
                              const Mask& attention_mask, const Saved& saved,
                              const AttentionOptions& options) {
  const double rate = options.dropout;
  for_each_group<T>(heads, [&](const HeadGroup& group) {
    const Mask keys = group.visible(attention_mask, options.causal);
    const Tensor<T> weights = options.keep_weights ? group.copy_from_full_tensor(saved.weights)
                                                   : attention_weights_of_group<T>(group, in, keys);
    Mask keep;
    if (rate > 0)
      keep = options.keep_weights ? group.copy_from_full_tensor(saved.keep)
                                  : dropout_mask_of_group(group, options);
    const Tensor<T> dropped = rate > 0 ? dropout(weights, keep, rate) : Tensor<T>();
    const auto drop = [&](Tensor<T>& grad_weights) {
      if (rate > 0) dropout_in_place(grad_weights, keep, rate);
    };
    const auto scores_backward = [&](const Tensor<T>& grad_weights) {
      return ops::softmax_backward(grad_weights, weights, keys);
    };
    write_attention_gradients<T>(group.operands(out), group.operands(in),
                                 rate > 0 ? dropped : weights, drop, scores_backward,
                                 group.queries_view(grad_context.data()));
    group.scale(out.queries);
  });
}

}  // namespace normproof::ref::nn
