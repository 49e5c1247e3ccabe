#include "ref/encoder/sublayers.hpp"

#include <fmt/format.h>

namespace normproof::ref::encoder {

using numeric::Clause;

template <numeric::Real T>
nn::DropoutKey dropout_key(const LayerCall<T>& call, const std::string& part) {
  nn::DropoutKey key{call.run.seed, call.run.step, call.name(part)};
  if (call.run.masks == nullptr || call.rate() == 0) return key;
  const auto given = call.run.masks->find(key.place);
  if (given == call.run.masks->end())
    numeric::contract_failure("encoder layer", "masks", fmt::format("has no {}", key.place),
                              "one for each dropout", Clause::C1);
  key.given = &given->second;
  return key;
}

template <numeric::Real T>
Tensor<T> apply_dropout_to_part(const LayerCall<T>& call, const std::string& part, Tensor<T> y,
                                Mask& keep) {
  const double p = call.rate();
  if (p == 0) return y;
  keep = nn::dropout_mask(tensor::shape_of(y), p, dropout_key(call, part));
  pass_mask_to_tap(call.tap, call.name(part) + ".keep", keep);
  nn::dropout_in_place(y, keep, p);
  return y;
}

template <numeric::Real T>
const Tensor<T>& run_part_dropout_backward(const LayerCall<T>& call, const Tensor<T>& grad_y,
                                           const Mask& keep, Tensor<T>& own) {
  if (call.rate() == 0) return grad_y;
  own = nn::dropout(grad_y, keep, call.rate());
  return own;
}

template <numeric::Real T>
nn::AttentionOptions attention_options(const LayerCall<T>& call, const std::string& part,
                                       nn::AttentionOptions options) {
  const std::string weights = call.name(part) + ".weights";
  options.dropout = call.rate();
  options.key = dropout_key(call, part + ".weights");
  options.keep_weights =
      options.keep_weights || call.tap.requests(weights) || call.tap.requests(weights + ".keep");
  return options;
}

template <numeric::Real T>
Tensor<T> run_attention(const LayerCall<T>& call, const std::string& part, const Tensor<T>& x,
                        const nn::Attention<T>& parameters, const nn::AttentionOptions& options,
                        nn::AttentionSaved<T>& saved, Mask& keep) {
  nn::AttentionForward<T> attention =
      nn::multi_head_attention(x, parameters, call.valid, attention_options(call, part, options));
  saved = std::move(attention.saved);
  const std::string own = call.name(part);
  pass_to_tap(call.tap, own + ".qkv", saved.qkv);
  pass_to_tap(call.tap, own + ".weights", saved.weights);
  pass_mask_to_tap(call.tap, own + ".weights.keep", saved.keep);
  pass_to_tap(call.tap, own + ".context", saved.context);
  pass_to_tap(call.tap, own + ".y", attention.y);
  return apply_dropout_to_part(call, part + ".y", std::move(attention.y), keep);
}

template <numeric::Real T>
Tensor<T> run_attention_backward(const LayerCall<T>& call, const std::string& part,
                                 const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const nn::Attention<T>& parameters,
                                 const nn::AttentionOptions& options,
                                 const nn::AttentionSaved<T>& saved, const Mask& keep,
                                 nn::Attention<T>& gradients) {
  Tensor<T> own;
  nn::AttentionGradients<T> backward = nn::multi_head_attention_backward(
      run_part_dropout_backward(call, grad_y, keep, own), x, parameters, call.valid, saved,
      attention_options(call, part, options));
  gradients = std::move(backward.parameters);
  pass_to_tap(call.tap, "grad_" + call.name(part) + ".x", backward.grad_x);
  return std::move(backward.grad_x);
}

template <numeric::Real T>
Tensor<T> run_feed_forward(const LayerCall<T>& call, const Tensor<T>& x,
                           const nn::FeedForward<T>& parameters, model::Activation activation,
                           nn::FeedForwardSaved<T>& saved, Mask& keep) {
  nn::FeedForwardForward<T> fed = nn::feed_forward(
      x, parameters, {activation, call.rate(), dropout_key(call, "feed_forward.active")});
  saved = std::move(fed.saved);
  const std::string own = call.name("feed_forward");
  pass_to_tap(call.tap, own + ".inner", saved.inner);
  pass_to_tap(call.tap, own + ".active", saved.active);
  pass_mask_to_tap(call.tap, own + ".active.keep", saved.keep);
  pass_to_tap(call.tap, own + ".y", fed.y);
  return apply_dropout_to_part(call, "feed_forward.y", std::move(fed.y), keep);
}

template <numeric::Real T>
Tensor<T> run_feed_forward_backward(const LayerCall<T>& call, const Tensor<T>& grad_y,
                                    const Tensor<T>& x, const nn::FeedForward<T>& parameters,
                                    model::Activation activation,
                                    const nn::FeedForwardSaved<T>& saved, const Mask& keep,
                                    nn::FeedForward<T>& gradients) {
  Tensor<T> own;
  nn::FeedForwardGradients<T> backward = nn::feed_forward_backward(
      run_part_dropout_backward(call, grad_y, keep, own), x, parameters, saved,
      {activation, call.rate(), dropout_key(call, "feed_forward.active")});
  gradients = std::move(backward.parameters);
  pass_to_tap(call.tap, "grad_" + call.name("feed_forward") + ".x", backward.grad_x);
  return std::move(backward.grad_x);
}

#define NORMPROOF_INSTANTIATE(T)                                                               \
  template nn::DropoutKey dropout_key(const LayerCall<T>&, const std::string&);                \
  template Tensor<T> apply_dropout_to_part(const LayerCall<T>&, const std::string&, Tensor<T>, \
                                           Mask&);                                             \
  template const Tensor<T>& run_part_dropout_backward(const LayerCall<T>&, const Tensor<T>&,   \
                                                      const Mask&, Tensor<T>&);                \
  template nn::AttentionOptions attention_options(const LayerCall<T>&, const std::string&,     \
                                                  nn::AttentionOptions);                       \
  template Tensor<T> run_attention(const LayerCall<T>&, const std::string&, const Tensor<T>&,  \
                                   const nn::Attention<T>&, const nn::AttentionOptions&,       \
                                   nn::AttentionSaved<T>&, Mask&);                             \
  template Tensor<T> run_attention_backward(                                                   \
      const LayerCall<T>&, const std::string&, const Tensor<T>&, const Tensor<T>&,             \
      const nn::Attention<T>&, const nn::AttentionOptions&, const nn::AttentionSaved<T>&,      \
      const Mask&, nn::Attention<T>&);                                                         \
  template Tensor<T> run_feed_forward(const LayerCall<T>&, const Tensor<T>&,                   \
                                      const nn::FeedForward<T>&, model::Activation,            \
                                      nn::FeedForwardSaved<T>&, Mask&);                        \
  template Tensor<T> run_feed_forward_backward(                                                \
      const LayerCall<T>&, const Tensor<T>&, const Tensor<T>&, const nn::FeedForward<T>&,      \
      model::Activation, const nn::FeedForwardSaved<T>&, const Mask&, nn::FeedForward<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
