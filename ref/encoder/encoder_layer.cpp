#include "ref/encoder/encoder_layer.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/ops/arithmetic.hpp"

namespace normproof::ref::encoder {

using numeric::Clause;

namespace {

template <class T>
void show(const Tap<T>& tap, const std::string& name, const Tensor<T>& values) {
  if (tap && tensor::is_given(values)) tap(name, values);
}

/// 1 where a dropout keeps.
template <class T>
void show_mask(const Tap<T>& tap, const std::string& name, const Mask& keep) {
  if (!tap.asks_for(name) || !tensor::is_given(keep)) return;
  Tensor<T> values = tensor::empty_tensor<T>(tensor::shape_of(keep));
  for (std::size_t i = 0; i < keep.size(); ++i) values.data()[i] = T(keep.data()[i] ? 1 : 0);
  tap(name, values);
}

template <class T>
NamedTensors<T> state_of(const NamedTensors<T>& state, const std::string& place) {
  NamedTensors<T> own;
  for (const auto& [name, values] : state)
    if (name.size() > place.size() && name.starts_with(place) && name[place.size()] == '.')
      own.set(name.substr(place.size() + 1), values);
  return own;
}

template <class T>
void put_state(NamedTensors<T>& state, const std::string& place, const NamedTensors<T>& own) {
  for (const auto& [name, values] : own) state.set(fmt::format("{}.{}", place, name), values);
}

/// The layer's own entries of the state, each under its full name.
template <class T>
NamedTensors<T> own_entries(const NamedTensors<T>& state, const std::string& place) {
  NamedTensors<T> own;
  put_state(own, place, state_of(state, place));
  return own;
}

}  // namespace

KeptBytes kept_bytes(const EncoderConfig& config, std::size_t batch_size, std::size_t seq_len,
                     std::size_t bytes_of_scalar) {
  const std::size_t masks = config.dropout > 0 ? 1 : 0;  // of one byte
  const std::size_t positions = batch_size * seq_len;
  // the inputs of attention, feed-forward and both norms, context; queries, keys and values; the
  // feed-forward before and after its activation; what the norms keep, once and a half their input
  const std::size_t numbers = 11 * config.d_model + 2 * config.d_ff;
  const std::size_t rest =
      positions * (numbers * bytes_of_scalar + masks * (2 * config.d_model + config.d_ff));
  const std::size_t weights = positions * seq_len * config.num_heads;
  return {weights * (bytes_of_scalar + masks), rest};
}

template <numeric::Real T>
Tensor<T> run_norm(const EncoderConfig& config, const norm::NormParameters<T>& parameters,
                   Tensor<T> x, const Mask& valid, model::Mode mode, const std::string& place,
                   NamedTensors<T>& state, NormSite<T>& site, const Tap<T>& tap) {
  show(tap, place + ".x", x);
  site.inputs = {.x = std::move(x), .valid = valid, .mode = mode};
  for (const auto& [name, values] : parameters) norm::set_parameter(site.inputs, name, values);
  site.forward = norm::norm_forward(config.norm, site.inputs, state_of(state, place));
  put_state(state, place, site.forward.state);
  Tensor<T> y = std::move(site.forward.outputs.at("y"));
  for (const auto& [name, values] : site.forward.outputs)
    if (name != "y") show(tap, fmt::format("{}.{}", place, name), values);
  show(tap, place + ".y", y);
  return y;
}

template <numeric::Real T>
Tensor<T> run_norm_backward(const EncoderConfig& config, Tensor<T> grad_y, const std::string& place,
                            NamedTensors<T>& state, NormSite<T>& site,
                            norm::NormParameters<T>& gradients, const Tap<T>& tap) {
  show(tap, "grad_" + place + ".y", grad_y);
  site.inputs.grad_y = std::move(grad_y);
  norm::NormStep<T> step = norm::norm_backward(config.norm, site.inputs, site.forward);
  put_state(state, place, step.state);
  for (const auto& [name, values] : step.outputs)
    if (!name.starts_with("grad_")) show(tap, fmt::format("{}.{}", place, name), values);
  for (const model::NormParameter& own : model::norm_layer(config.norm).parameters)
    if (norm::find_parameter(site.inputs, own.name) != nullptr)
      gradients.set(own.name, std::move(step.outputs.at(fmt::format("grad_{}", own.name))));
  Tensor<T> grad_x = std::move(step.outputs.at("grad_x"));
  site = {};
  show(tap, "grad_" + place + ".x", grad_x);
  return grad_x;
}

template <numeric::Real T>
EncoderLayer<T>::EncoderLayer(const EncoderConfig& config,
                              const EncoderLayerParameters<T>& parameters, std::string place,
                              const Tap<T>& tap)
    : config_(config), parameters_(parameters), place_(std::move(place)), tap_(tap) {}

template <numeric::Real T>
double EncoderLayer<T>::rate(const EncoderRun& run) const {
  return run.mode == model::Mode::training ? config_.dropout : 0;
}

template <numeric::Real T>
nn::DropoutKey EncoderLayer<T>::key(const EncoderRun& run, const char* name) const {
  nn::DropoutKey key{run.seed, run.step, place_ + name};
  if (run.masks == nullptr || rate(run) == 0) return key;
  const auto given = run.masks->find(key.place);
  if (given == run.masks->end())
    numeric::contract_failure("encoder layer", "masks", fmt::format("has no {}", key.place),
                              "one for each dropout", Clause::C1);
  key.given = &given->second;
  return key;
}

template <numeric::Real T>
nn::AttentionOptions EncoderLayer<T>::attention_options(const EncoderRun& run) const {
  const std::string weights = place_ + ".attention.weights";
  const bool kept = keep_.weights || tap_.asks_for(weights) || tap_.asks_for(weights + ".keep");
  return {config_.num_heads, rate(run), key(run, ".attention.weights"), kept, config_.causal};
}

template <numeric::Real T>
nn::FeedForwardOptions EncoderLayer<T>::feed_forward_options(const EncoderRun& run) const {
  return {config_.activation, rate(run), key(run, ".feed_forward.active")};
}

/// y after the dropout of `name`, whose mask is kept.
template <numeric::Real T>
Tensor<T> EncoderLayer<T>::drop(Tensor<T> y, const char* name, const EncoderRun& run, Mask& keep) {
  const double p = rate(run);
  if (p == 0) return y;
  keep = nn::dropout_mask(tensor::shape_of(y), p, key(run, name));
  show_mask(tap_, place_ + name + ".keep", keep);
  nn::dropout_in_place(y, keep, p);
  return y;
}

/// grad_y behind that dropout: itself where none was, and else `own`, which is made.
template <numeric::Real T>
const Tensor<T>& EncoderLayer<T>::drop_backward(const Tensor<T>& grad_y, const EncoderRun& run,
                                                const Mask& keep, Tensor<T>& own) const {
  if (rate(run) == 0) return grad_y;
  own = nn::dropout(grad_y, keep, rate(run));
  return own;
}

/// dropout(attention(x))
template <numeric::Real T>
Tensor<T> EncoderLayer<T>::attend(const Tensor<T>& x, const EncoderRun& run) {
  nn::AttentionForward<T> attention =
      nn::multi_head_attention(x, parameters_.attention, valid_, attention_options(run));
  saved_.attention = std::move(attention.saved);
  show(tap_, place_ + ".attention.qkv", saved_.attention.qkv);
  show(tap_, place_ + ".attention.weights", saved_.attention.weights);
  show_mask(tap_, place_ + ".attention.weights.keep", saved_.attention.keep);
  show(tap_, place_ + ".attention.context", saved_.attention.context);
  show(tap_, place_ + ".attention.y", attention.y);
  return drop(std::move(attention.y), ".attention.y", run, saved_.keep1);
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::attend_backward(const Tensor<T>& grad_y, const EncoderRun& run,
                                           EncoderLayerParameters<T>& gradients) {
  Tensor<T> own;
  nn::AttentionGradients<T> backward = nn::multi_head_attention_backward(
      drop_backward(grad_y, run, saved_.keep1, own), saved_.attention_in, parameters_.attention,
      valid_, saved_.attention, attention_options(run));
  gradients.attention = std::move(backward.parameters);
  show(tap_, "grad_" + place_ + ".attention.x", backward.grad_x);
  return std::move(backward.grad_x);
}

/// dropout(feed_forward(x))
template <numeric::Real T>
Tensor<T> EncoderLayer<T>::feed(const Tensor<T>& x, const EncoderRun& run) {
  nn::FeedForwardForward<T> fed =
      nn::feed_forward(x, parameters_.feed_forward, feed_forward_options(run));
  saved_.feed_forward = std::move(fed.saved);
  show(tap_, place_ + ".feed_forward.inner", saved_.feed_forward.inner);
  show(tap_, place_ + ".feed_forward.active", saved_.feed_forward.active);
  show_mask(tap_, place_ + ".feed_forward.active.keep", saved_.feed_forward.keep);
  show(tap_, place_ + ".feed_forward.y", fed.y);
  return drop(std::move(fed.y), ".feed_forward.y", run, saved_.keep2);
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::feed_backward(const Tensor<T>& grad_y, const EncoderRun& run,
                                         EncoderLayerParameters<T>& gradients) {
  Tensor<T> own;
  nn::FeedForwardGradients<T> backward = nn::feed_forward_backward(
      drop_backward(grad_y, run, saved_.keep2, own), saved_.feed_forward_in,
      parameters_.feed_forward, saved_.feed_forward, feed_forward_options(run));
  gradients.feed_forward = std::move(backward.parameters);
  show(tap_, "grad_" + place_ + ".feed_forward.x", backward.grad_x);
  return std::move(backward.grad_x);
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::forward(Tensor<T> x, const Mask& valid, const EncoderRun& run,
                                   NamedTensors<T>& state, Keep keep) {
  valid_ = valid;
  keep_ = keep;
  if (keep.rest) return forward_kept(std::move(x), run, state);
  start_ = {{}, own_entries(state, place_)};
  keep_.weights = false;
  Tensor<T> y = forward_kept(std::move(x), run, state);
  start_->x = std::move(config_.placement == model::NormPlacement::post ? saved_.attention_in
                                                                        : saved_.norm1.inputs.x);
  saved_ = {};
  keep_.weights = keep.weights;
  return y;
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::forward_kept(Tensor<T> x, const EncoderRun& run,
                                        NamedTensors<T>& state) {
  const auto normalise = [&](const char* name, const norm::NormParameters<T>& parameters,
                             Tensor<T> values, NormSite<T>& site) {
    return run_norm<T>(config_, parameters, std::move(values), valid_, run.mode,
                       place_ + "." + name, state, site, tap_);
  };
  if (config_.placement == model::NormPlacement::post) {
    saved_.attention_in = std::move(x);
    Tensor<T> h = attend(saved_.attention_in, run);
    ops::add_in_place(h, saved_.attention_in);
    saved_.feed_forward_in = normalise("norm1", parameters_.norm1, std::move(h), saved_.norm1);
    Tensor<T> y = feed(saved_.feed_forward_in, run);
    ops::add_in_place(y, saved_.feed_forward_in);
    return normalise("norm2", parameters_.norm2, std::move(y), saved_.norm2);
  }
  saved_.attention_in = normalise("norm1", parameters_.norm1, std::move(x), saved_.norm1);
  Tensor<T> h = attend(saved_.attention_in, run);
  ops::add_in_place(h, saved_.norm1.inputs.x);
  saved_.feed_forward_in = normalise("norm2", parameters_.norm2, std::move(h), saved_.norm2);
  Tensor<T> y = feed(saved_.feed_forward_in, run);
  ops::add_in_place(y, saved_.norm2.inputs.x);
  return y;
}

template <numeric::Real T>
Tensor<T> EncoderLayer<T>::backward(Tensor<T> grad_y, const EncoderRun& run, NamedTensors<T>& state,
                                    EncoderLayerParameters<T>& gradients) {
  if (start_) {
    Tap<T> given = std::exchange(tap_, {});
    forward_kept(std::move(start_->x), run, start_->state);
    tap_ = std::move(given);
    start_.reset();
  }
  const auto through_norm = [&](const char* name, Tensor<T> grad, NormSite<T>& site,
                                norm::NormParameters<T>& own) {
    return run_norm_backward<T>(config_, std::move(grad), place_ + "." + name, state, site, own,
                                tap_);
  };
  if (config_.placement == model::NormPlacement::post) {
    Tensor<T> grad_h = through_norm("norm2", std::move(grad_y), saved_.norm2, gradients.norm2);
    ops::add_in_place(grad_h, feed_backward(grad_h, run, gradients));
    Tensor<T> grad_x = through_norm("norm1", std::move(grad_h), saved_.norm1, gradients.norm1);
    ops::add_in_place(grad_x, attend_backward(grad_x, run, gradients));
    saved_ = {};
    return grad_x;
  }
  ops::add_in_place(grad_y, through_norm("norm2", feed_backward(grad_y, run, gradients),
                                         saved_.norm2, gradients.norm2));
  ops::add_in_place(grad_y, through_norm("norm1", attend_backward(grad_y, run, gradients),
                                         saved_.norm1, gradients.norm1));
  saved_ = {};
  return grad_y;
}

#define NORMPROOF_INSTANTIATE(T)                                                                 \
  template class EncoderLayer<T>;                                                                \
  template Tensor<T> run_norm(const EncoderConfig&, const norm::NormParameters<T>&, Tensor<T>,   \
                              const Mask&, model::Mode, const std::string&, NamedTensors<T>&,    \
                              NormSite<T>&, const Tap<T>&);                                      \
  template Tensor<T> run_norm_backward(const EncoderConfig&, Tensor<T>, const std::string&,      \
                                       NamedTensors<T>&, NormSite<T>&, norm::NormParameters<T>&, \
                                       const Tap<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
