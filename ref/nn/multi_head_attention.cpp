#include "ref/nn/multi_head_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ref/model/attention_groups.hpp"
#include "ref/model/visible_keys.hpp"
#include "ref/nn/attention_core.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using ops::MatrixView;
using tensor::Extents;
using tensor::shape_of;

/// The extents of attention.
struct Heads {
  std::size_t batch_size, seq_len, d_model, num_heads;

  std::size_t d_k() const { return d_model / num_heads; }
  std::size_t scores() const { return seq_len * seq_len; }  ///< of one head
  tensor::Shape scores_shape() const { return {batch_size, num_heads, seq_len, seq_len}; }
};

/// Some heads of one sentence, which are computed together while they are in the caches, and where
/// they are in memory.
struct Group {
  const Heads& all;
  std::size_t sentence, head, count;

  /// Part 0, 1, 2 of [B,T,3D]: queries, keys, values.
  template <class T>
  MatrixView<T> part(T* qkv, std::size_t number) const {
    return features(qkv, 3 * all.d_model, number);
  }
  /// [B,T,D]
  template <class T>
  MatrixView<T> of_context(T* context) const {
    return features(context, all.d_model, 0);
  }
  /// Of [B,T,3D].
  template <class T>
  AttentionOperands<T> operands(T* qkv) const {
    return {part(qkv, 0), part(qkv, 1), part(qkv, 2)};
  }
  tensor::Shape scores_shape() const { return {count, all.seq_len, all.seq_len}; }
  /// The first score of the group in [B,H,T,T].
  std::size_t first_score() const { return (sentence * all.num_heads + head) * all.scores(); }

  /// The keys that may be attended to.
  Mask keys(const Mask& attention_mask, bool causal) const {
    const std::size_t t = all.seq_len;
    const bool* const valid =
        tensor::is_given(attention_mask) ? attention_mask.data() + sentence * t : nullptr;
    return model::visible_keys({1, t, t}, valid, causal);
  }

 private:
  template <class T>
  MatrixView<T> features(T* rows, std::size_t width, std::size_t number) const {
    T* const first =
        rows + sentence * all.seq_len * width + number * all.d_model + head * all.d_k();
    return {first, all.seq_len, all.d_k(), width, 1, 1, all.seq_len * width, count, all.d_k()};
  }
};

/// f(group) for all of them, on the threads allowed. What a part refuses is said of which heads.
template <class T, class F>
void for_each_group(const Heads& heads, F f) {
  const std::size_t count = model::heads_together(heads.num_heads, heads.seq_len, sizeof(T));
  const std::size_t each = heads.num_heads / count;
  numeric::parallel_for(heads.batch_size * each, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Group group{heads, i / each, i % each, count};
      try {
        f(group);
      } catch (const numeric::NotFiniteError& error) {
        numeric::Breach breach = error.breach();
        breach.place = fmt::format("attention in sentence {}, heads {} to {}", group.sentence,
                                   group.head, group.head + count - 1);
        throw numeric::NotFiniteError(std::move(breach));
      }
    }
  });
}

template <class T>
Heads checked_heads(std::string_view function, const Tensor<T>& x, const Attention<T>& parameters,
                    const Mask& attention_mask, const AttentionOptions& options) {
  if (x.dimension() != 3)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape_of(x)),
                              "[B,T,D]", Clause::C1);
  const Extents e = tensor::check_activations(function, "x", shape_of(x));
  if (options.num_heads == 0 || e.d_model % options.num_heads != 0)
    numeric::contract_failure(function, "num_heads", "is " + std::to_string(options.num_heads),
                              "a divisor of D, " + std::to_string(e.d_model), Clause::C2);
  tensor::check_shape(function, "in.weight", shape_of(parameters.in.weight),
                      {3 * e.d_model, e.d_model}, Clause::C3);
  tensor::check_shape(function, "out.weight", shape_of(parameters.out.weight),
                      {e.d_model, e.d_model}, Clause::C3);
  tensor::check_mask(function, attention_mask, shape_of(x), Clause::C4);
  return {e.batch_size, e.seq_len, e.d_model, options.num_heads};
}

/// The first D of each 3D features, times 1 / sqrt(d_k).
template <class T>
void scale_queries(Tensor<T>& qkv, const Heads& heads) {
  const T factor = attention_scale<T>(heads.d_k());
  const std::size_t rows = heads.batch_size * heads.seq_len;
  numeric::parallel_for(rows, 8192 / heads.d_model + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      T* const q = qkv.data() + row * 3 * heads.d_model;
      for (std::size_t d = 0; d < heads.d_model; ++d) q[d] *= factor;
    }
  });
}

/// The softmax of a group's scores.
template <class T>
Tensor<T> weights_of(const Group& group, const T* qkv, const Mask& keys) {
  return ops::softmax(attention_scores(group.operands(qkv), group.scores_shape()), keys);
}

Mask mask_of(const Group& group, const AttentionOptions& options) {
  return dropout_mask(group.scores_shape(), options.dropout, options.key, group.first_score());
}

/// A group's part of [B,H,T,T].
template <class T>
void put(const Group& group, const Tensor<T>& own, Tensor<T>& whole) {
  std::copy_n(own.data(), own.size(), whole.data() + group.first_score());
}
template <class T>
Tensor<T> take(const Group& group, const Tensor<T>& whole) {
  Tensor<T> own = tensor::empty_tensor<T>(group.scores_shape());
  std::copy_n(whole.data() + group.first_score(), own.size(), own.data());
  return own;
}

/// From grad_context [B,T,D] to a group's part of the gradients by queries, keys and values.
/// `keep` is empty without dropout.
template <class T>
void backward_of(const Group& group, const Tensor<T>& weights, const Mask& keep, double rate,
                 const T* qkv, const T* grad_context, const Mask& keys, T* grad_qkv) {
  const Tensor<T> dropped = rate > 0 ? dropout(weights, keep, rate) : Tensor<T>();
  const auto drop = [&](Tensor<T>& grad_weights) {
    if (rate > 0) dropout_in_place(grad_weights, keep, rate);
  };
  attention_backward_into<T>(group.operands(grad_qkv), group.operands(qkv), weights,
                             rate > 0 ? dropped : weights, drop, group.of_context(grad_context),
                             keys);
}

}  // namespace

template <numeric::Real T>
AttentionForward<T> multi_head_attention(const Tensor<T>& x, const Attention<T>& parameters,
                                         const Mask& attention_mask,
                                         const AttentionOptions& options) {
  const Heads heads = checked_heads("multi_head_attention", x, parameters, attention_mask, options);
  AttentionForward<T> result;
  AttentionSaved<T>& saved = result.saved;
  saved.qkv = linear(x, parameters.in);
  scale_queries(saved.qkv, heads);
  saved.context = tensor::empty_tensor<T>(shape_of(x));
  const bool drops = options.dropout > 0;
  if (options.keep_weights) {
    saved.weights = tensor::empty_tensor<T>(heads.scores_shape());
    if (drops) saved.keep = tensor::empty_tensor<bool>(heads.scores_shape());
  }
  for_each_group<T>(heads, [&](const Group& group) {
    const T* const qkv = saved.qkv.data();
    Tensor<T> weights = weights_of(group, qkv, group.keys(attention_mask, options.causal));
    if (options.keep_weights) put(group, weights, saved.weights);
    if (drops) {
      const Mask keep = mask_of(group, options);
      if (options.keep_weights) put(group, keep, saved.keep);
      dropout_in_place(weights, keep, options.dropout);
    }
    attend<T>(weights, group.operands(qkv), group.of_context(saved.context.data()));
  });
  result.y = linear(saved.context, parameters.out);
  return result;
}

template <numeric::Real T>
AttentionGradients<T> multi_head_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Attention<T>& parameters,
                                                    const Mask& attention_mask,
                                                    const AttentionSaved<T>& saved,
                                                    const AttentionOptions& options) {
  const Heads heads =
      checked_heads("multi_head_attention_backward", x, parameters, attention_mask, options);
  tensor::check_shape("multi_head_attention_backward", "grad_y", shape_of(grad_y), shape_of(x),
                      Clause::C6);
  LinearGradients<T> out = linear_backward(grad_y, saved.context, parameters.out);
  Tensor<T> grad_qkv = tensor::empty_tensor<T>(shape_of(saved.qkv));
  for_each_group<T>(heads, [&](const Group& group) {
    const T* const qkv = saved.qkv.data();
    const Mask keys = group.keys(attention_mask, options.causal);
    const Tensor<T> weights =
        options.keep_weights ? take(group, saved.weights) : weights_of(group, qkv, keys);
    Mask keep;
    if (options.dropout > 0)
      keep = options.keep_weights ? take(group, saved.keep) : mask_of(group, options);
    backward_of<T>(group, weights, keep, options.dropout, qkv,
                   static_cast<const T*>(out.grad_x.data()), keys, grad_qkv.data());
  });
  scale_queries(grad_qkv, heads);
  LinearGradients<T> in = linear_backward(grad_qkv, x, parameters.in);
  return {std::move(in.grad_x), {std::move(in.parameters), std::move(out.parameters)}};
}

#define NORMPROOF_INSTANTIATE(T)                                                           \
  template AttentionForward<T> multi_head_attention(const Tensor<T>&, const Attention<T>&, \
                                                    const Mask&, const AttentionOptions&); \
  template AttentionGradients<T> multi_head_attention_backward(                            \
      const Tensor<T>&, const Tensor<T>&, const Attention<T>&, const Mask&,                \
      const AttentionSaved<T>&, const AttentionOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
