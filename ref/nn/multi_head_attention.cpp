#include "ref/nn/multi_head_attention.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {
namespace {

using ops::MatrixView;
using tensor::Extents;
using tensor::shape_of;

/// Where the heads of attention are in memory.
struct Heads {
  std::size_t batch_size, seq_len, d_model, num_heads;

  std::size_t d_k() const { return d_model / num_heads; }

  /// Part 0, 1, 2 of [B,T,3D]: queries, keys, values.
  template <class T>
  MatrixView<T> part(T* qkv, std::size_t number) const {
    return {qkv + number * d_model, seq_len,   d_k(), 3 * d_model, 1, batch_size,
            seq_len * 3 * d_model,  num_heads, d_k()};
  }
  /// [B,T,D]
  template <class T>
  MatrixView<T> of_context(T* context) const {
    return {context, seq_len, d_k(), d_model, 1, batch_size, seq_len * d_model, num_heads, d_k()};
  }
  /// [B,H,T,T]
  template <class T>
  MatrixView<T> of_scores(T* scores) const {
    return {
        scores,    seq_len,          seq_len, seq_len, 1, batch_size, num_heads * seq_len * seq_len,
        num_heads, seq_len * seq_len};
  }
  tensor::Shape scores_shape() const { return {batch_size, num_heads, seq_len, seq_len}; }
  std::size_t scores_of_sentence() const { return num_heads * seq_len * seq_len; }
};

/// f(some, first): the sentences from `first` on, as many as `some` says; all at once where their
/// weights are kept.
template <class T, class F>
void in_groups(const Heads& heads, const AttentionOptions& options, F f) {
  const std::size_t fit = options.group_bytes / (heads.scores_of_sentence() * sizeof(T));
  const std::size_t size = options.keep_weights ? heads.batch_size : std::max<std::size_t>(fit, 1);
  for (std::size_t first = 0; first < heads.batch_size; first += size) {
    Heads some = heads;
    some.batch_size = std::min(size, heads.batch_size - first);
    f(some, first);
  }
}

template <class T>
Heads checked_heads(std::string_view function, const Tensor<T>& x, const Attention<T>& parameters,
                    const Mask& attention_mask, const AttentionOptions& options) {
  if (x.dimension() != 3)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape_of(x)),
                              "[B,T,D] (C1)");
  const Extents e = tensor::check_activations(function, "x", shape_of(x));
  if (options.num_heads == 0 || e.d_model % options.num_heads != 0)
    numeric::contract_failure(function, "num_heads", "is " + std::to_string(options.num_heads),
                              "a divisor of D, " + std::to_string(e.d_model) + " (C2)");
  tensor::check_shape(function, "in.weight", shape_of(parameters.in.weight),
                      {3 * e.d_model, e.d_model});
  tensor::check_shape(function, "out.weight", shape_of(parameters.out.weight),
                      {e.d_model, e.d_model});
  tensor::check_mask(function, attention_mask, shape_of(x));
  return {e.batch_size, e.seq_len, e.d_model, options.num_heads};
}

/// [B,T] as [B,1,1,T] for the sentences from `first` on: keys, for every head and query.
Mask over_keys(const Mask& attention_mask, const Heads& some, std::size_t first) {
  if (!tensor::is_given(attention_mask)) return {};
  Mask mask = tensor::empty_tensor<bool>({some.batch_size, 1, 1, some.seq_len});
  std::copy_n(attention_mask.data() + first * some.seq_len, mask.size(), mask.data());
  return mask;
}

/// The first D of each 3D features, times 1 / sqrt(d_k).
template <class T>
void scale_queries(Tensor<T>& qkv, const Heads& heads) {
  const T factor = T(1) / numeric::square_root(T(static_cast<double>(heads.d_k())));
  const std::size_t rows = heads.batch_size * heads.seq_len;
  numeric::parallel_for(rows, 8192 / heads.d_model + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      T* const q = qkv.data() + row * 3 * heads.d_model;
      for (std::size_t d = 0; d < heads.d_model; ++d) q[d] *= factor;
    }
  });
}

/// Those of the sentences from `first` on, whose queries, keys and values begin at qkv.
template <class T>
AttentionWeights<T> weights_of(const T* qkv, const Heads& some, std::size_t first,
                               const Mask& attention_mask, const AttentionOptions& options) {
  AttentionWeights<T> result;
  Tensor<T> scores = tensor::empty_tensor<T>(some.scores_shape());
  ops::matmul_into<T>(some.of_scores(scores.data()), some.part(qkv, 0),
                      ops::transposed(some.part(qkv, 1)));
  result.weights = ops::softmax(scores, over_keys(attention_mask, some, first));
  if (options.dropout > 0) {
    result.keep = dropout_mask(some.scores_shape(), options.dropout, options.key,
                               first * some.scores_of_sentence());
    result.dropped = dropout(result.weights, result.keep, options.dropout);
  }
  return result;
}

/// What the values are multiplied by.
template <class T>
const Tensor<T>& used(const AttentionWeights<T>& weights) {
  return tensor::is_given(weights.dropped) ? weights.dropped : weights.weights;
}

/// From grad_context to the gradients by queries, keys and values of the sentences from `first` on;
/// all three pointers point at the first of them.
template <class T>
void backward_of(const AttentionWeights<T>& weights, const T* qkv, const T* grad_context,
                 const Heads& some, const Mask& keys, double rate, T* grad_qkv) {
  const MatrixView<const T> grad = some.of_context(grad_context);
  ops::matmul_into<T>(some.part(grad_qkv, 2), ops::transposed(some.of_scores(used(weights).data())),
                      grad);
  Tensor<T> grad_weights = tensor::empty_tensor<T>(some.scores_shape());
  ops::matmul_into<T>(some.of_scores(grad_weights.data()), grad,
                      ops::transposed(some.part(qkv, 2)));
  if (rate > 0) dropout_in_place(grad_weights, weights.keep, rate);
  const Tensor<T> grad_scores = ops::softmax_backward(grad_weights, weights.weights, keys);
  ops::matmul_into<T>(some.part(grad_qkv, 0), some.of_scores(grad_scores.data()),
                      some.part(qkv, 1));
  ops::matmul_into<T>(some.part(grad_qkv, 1), ops::transposed(some.of_scores(grad_scores.data())),
                      some.part(qkv, 0));
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
  in_groups<T>(heads, options, [&](const Heads& some, std::size_t first) {
    const std::size_t begin = first * heads.seq_len * heads.d_model;
    const T* const qkv = saved.qkv.data() + 3 * begin;
    AttentionWeights<T> weights = weights_of(qkv, some, first, attention_mask, options);
    ops::matmul_into<T>(some.of_context(saved.context.data() + begin),
                        some.of_scores(used(weights).data()), some.part(qkv, 2));
    if (options.keep_weights) static_cast<AttentionWeights<T>&>(saved) = std::move(weights);
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
  tensor::check_shape("multi_head_attention_backward", "grad_y", shape_of(grad_y), shape_of(x));
  LinearGradients<T> out = linear_backward(grad_y, saved.context, parameters.out);
  Tensor<T> grad_qkv = tensor::empty_tensor<T>(shape_of(saved.qkv));
  const bool kept = options.keep_weights;
  in_groups<T>(heads, options, [&](const Heads& some, std::size_t first) {
    const std::size_t begin = first * heads.seq_len * heads.d_model;
    const T* const qkv = saved.qkv.data() + 3 * begin;
    AttentionWeights<T> again;
    const AttentionWeights<T>* weights = &saved;
    if (!kept) {
      again = weights_of(qkv, some, first, attention_mask, options);
      weights = &again;
    }
    backward_of<T>(*weights, qkv, out.grad_x.data() + begin, some,
                   over_keys(attention_mask, some, first), options.dropout,
                   grad_qkv.data() + 3 * begin);
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
