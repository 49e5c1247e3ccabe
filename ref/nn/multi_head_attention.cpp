#include "ref/nn/multi_head_attention.hpp"

#include <string>

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
};

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

/// [B,T] as [B,1,1,T]: keys, for every head and query.
Mask over_keys(const Mask& attention_mask, const Heads& heads) {
  if (!tensor::is_given(attention_mask)) return {};
  Mask mask = attention_mask;
  mask.reshape({heads.batch_size, std::size_t{1}, std::size_t{1}, heads.seq_len});
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
  const T* const qkv = saved.qkv.data();
  Tensor<T> scores = tensor::empty_tensor<T>(heads.scores_shape());
  ops::matmul_into<T>(heads.of_scores(scores.data()), heads.part(qkv, 0),
                      ops::transposed(heads.part(qkv, 1)));
  saved.weights = ops::softmax(scores, over_keys(attention_mask, heads));
  if (options.dropout > 0) {
    saved.keep = dropout_mask(heads.scores_shape(), options.dropout, options.key);
    saved.dropped = dropout(saved.weights, saved.keep, options.dropout);
  }
  const Tensor<T>& weights = options.dropout > 0 ? saved.dropped : saved.weights;
  saved.context = tensor::empty_tensor<T>(shape_of(x));
  ops::matmul_into<T>(heads.of_context(saved.context.data()), heads.of_scores(weights.data()),
                      heads.part(qkv, 2));
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
  const T* const qkv = saved.qkv.data();
  const Tensor<T>& weights = options.dropout > 0 ? saved.dropped : saved.weights;
  Tensor<T> grad_qkv = tensor::empty_tensor<T>(shape_of(saved.qkv));
  const MatrixView<const T> grad_context =
      heads.of_context(static_cast<const T*>(out.grad_x.data()));
  ops::matmul_into<T>(heads.part(grad_qkv.data(), 2),
                      ops::transposed(heads.of_scores(weights.data())), grad_context);
  Tensor<T> grad_weights = tensor::empty_tensor<T>(heads.scores_shape());
  ops::matmul_into<T>(heads.of_scores(grad_weights.data()), grad_context,
                      ops::transposed(heads.part(qkv, 2)));
  if (options.dropout > 0) dropout_in_place(grad_weights, saved.keep, options.dropout);
  const Tensor<T> grad_scores =
      ops::softmax_backward(grad_weights, saved.weights, over_keys(attention_mask, heads));
  ops::matmul_into<T>(heads.part(grad_qkv.data(), 0), heads.of_scores(grad_scores.data()),
                      heads.part(qkv, 1));
  ops::matmul_into<T>(heads.part(grad_qkv.data(), 1),
                      ops::transposed(heads.of_scores(grad_scores.data())), heads.part(qkv, 0));
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
