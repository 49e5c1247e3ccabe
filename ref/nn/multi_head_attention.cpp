#include "ref/nn/multi_head_attention.hpp"

#include <utility>

#include "ref/nn/attention_heads.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using tensor::Extents;
using tensor::shape_of;

/// Returns views of the queries, keys and values in a tensor qkv [B,T,3D].
template <class T>
HeadOperands<T> self_attention_operands(T* qkv, std::size_t d) {
  return {{qkv, 3 * d}, {qkv + d, 3 * d}, {qkv + 2 * d, 3 * d}};
}

template <class T>
HeadExtents check_head_extents(std::string_view function, const Tensor<T>& x,
                               const Attention<T>& parameters, const Mask& attention_mask,
                               const AttentionOptions& options) {
  if (x.dimension() != 3)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape_of(x)),
                              "[B,T,D]", Clause::C1);
  const Extents e = tensor::check_activations(function, "x", shape_of(x));
  check_num_heads(function, options.num_heads, e.d_model);
  tensor::check_shape(function, "in.weight", shape_of(parameters.in.weight),
                      {3 * e.d_model, e.d_model}, Clause::C3);
  tensor::check_shape(function, "out.weight", shape_of(parameters.out.weight),
                      {e.d_model, e.d_model}, Clause::C3);
  tensor::check_mask(function, attention_mask, shape_of(x), Clause::C4);
  return {e.batch_size, e.seq_len, e.seq_len, e.d_model, options.num_heads};
}

}  // namespace

template <numeric::Real T>
AttentionForward<T> multi_head_attention(const Tensor<T>& x, const Attention<T>& parameters,
                                         const Mask& attention_mask,
                                         const AttentionOptions& options) {
  const HeadExtents heads =
      check_head_extents("multi_head_attention", x, parameters, attention_mask, options);
  AttentionForward<T> result;
  AttentionSaved<T>& saved = result.saved;
  saved.qkv = linear(x, parameters.in);
  const T* const qkv = saved.qkv.data();
  attend_per_head<T>(heads, self_attention_operands(saved.qkv.data(), heads.d_model).queries,
                     self_attention_operands(qkv, heads.d_model), attention_mask, options, saved);
  result.y = linear(saved.context, parameters.out);
  return result;
}

template <numeric::Real T>
AttentionGradients<T> multi_head_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Attention<T>& parameters,
                                                    const Mask& attention_mask,
                                                    const AttentionSaved<T>& saved,
                                                    const AttentionOptions& options) {
  const HeadExtents heads =
      check_head_extents("multi_head_attention_backward", x, parameters, attention_mask, options);
  tensor::check_shape("multi_head_attention_backward", "grad_y", shape_of(grad_y), shape_of(x),
                      Clause::C6);
  LinearGradients<T> out = linear_backward(grad_y, saved.context, parameters.out);
  Tensor<T> grad_qkv = tensor::empty_tensor<T>(shape_of(saved.qkv));
  const HeadOperands<T> grads = self_attention_operands(grad_qkv.data(), heads.d_model);
  attend_per_head_backward<T>(heads, grads,
                              self_attention_operands(saved.qkv.data(), heads.d_model), out.grad_x,
                              attention_mask, saved, options);
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
