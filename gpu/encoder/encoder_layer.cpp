#include "gpu/encoder/encoder_layer.hpp"

#include <fmt/format.h>

#include "gpu/ops/arithmetic.hpp"

namespace normproof::gpu::encoder {

using ref::numeric::Clause;

namespace {

using ref::model::NormPlacement;

nn::Linear linear_of(const NamedDeviceTensors& parameters, const std::string& name) {
  return {parameters.at(name + ".weight"), parameters.at(name + ".bias")};
}

void put_linear(NamedDeviceTensors& gradients, const std::string& name, nn::Linear&& own) {
  gradients.set(name + ".weight", std::move(own.weight));
  gradients.set(name + ".bias", std::move(own.bias));
}

}  // namespace

NormSite::NormSite(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                   std::string place)
    : config_(config), place_(std::move(place)) {
  for (const ref::model::NormParameter& own : ref::model::norm_layer(config.norm).parameters)
    norm::set_parameter(inputs_, own.name, parameters.get(fmt::format("{}.{}", place_, own.name)));
}

DeviceTensor<double> NormSite::forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                                       ref::model::Mode mode, NamedDeviceTensors& state) {
  inputs_.x = x;
  inputs_.valid = valid;
  inputs_.mode = mode;
  NamedDeviceTensors own;
  for (const auto& [name, values] : state)
    if (name.starts_with(place_) && name[place_.size()] == '.')
      own.set(name.substr(place_.size() + 1), values);
  forward_ = norm::norm_forward(config_.norm, inputs_, own);
  for (const auto& [name, values] : forward_.state)
    state.set(fmt::format("{}.{}", place_, name), values);
  return forward_.outputs.at("y");
}

DeviceTensor<double> NormSite::backward(const DeviceTensor<double>& grad_y,
                                        NamedDeviceTensors& state, NamedDeviceTensors& gradients) {
  inputs_.grad_y = grad_y;
  const norm::NormStep step = norm::norm_backward(config_.norm, inputs_, forward_);
  for (const auto& [name, values] : step.state)
    state.set(fmt::format("{}.{}", place_, name), values);
  for (const ref::model::NormParameter& own : ref::model::norm_layer(config_.norm).parameters)
    if (norm::get_parameter(inputs_, own.name).is_given())
      gradients.set(fmt::format("{}.{}", place_, own.name),
                    step.outputs.at(fmt::format("grad_{}", own.name)));
  forward_ = {};
  return step.outputs.at("grad_x");
}

EncoderLayer::EncoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                           const std::string& place)
    : config_(config),
      place_(place),
      attention_{linear_of(parameters, place + ".attention.in"),
                 linear_of(parameters, place + ".attention.out")},
      feed_forward_{linear_of(parameters, place + ".feed_forward.first"),
                    linear_of(parameters, place + ".feed_forward.second")},
      norm1_(config, parameters, place + ".norm1"),
      norm2_(config, parameters, place + ".norm2") {}

double EncoderLayer::rate(const EncoderRun& run) const {
  return run.mode == ref::model::Mode::training ? config_.dropout : 0;
}

nn::DropoutKey EncoderLayer::key(const EncoderRun& run, const char* name) const {
  nn::DropoutKey key{run.seed, run.step, place_ + name};
  if (run.masks == nullptr || rate(run) == 0) return key;
  const auto given = run.masks->find(key.place);
  if (given == run.masks->end())
    ref::numeric::contract_failure("encoder layer", "masks", fmt::format("has no {}", key.place),
                                   "one for each dropout", Clause::C1);
  key.given = given->second;
  return key;
}

nn::AttentionOptions EncoderLayer::attention_options(const EncoderRun& run) const {
  return {config_.num_heads, rate(run), key(run, ".attention.weights"), run.products,
          config_.causal};
}

nn::FeedForwardOptions EncoderLayer::feed_forward_options(const EncoderRun& run) const {
  return {config_.activation, rate(run), key(run, ".feed_forward.active"), run.products};
}

DeviceTensor<double> EncoderLayer::drop(const DeviceTensor<double>& y, const char* name,
                                        const EncoderRun& run, DeviceTensor<bool>& keep) const {
  if (rate(run) == 0) return y;
  keep = nn::dropout_mask(y.device(), y.shape(), rate(run), key(run, name));
  return nn::dropout(y, keep, rate(run));
}

DeviceTensor<double> EncoderLayer::attend(const DeviceTensor<double>& x, const EncoderRun& run) {
  attention_in_ = x;
  attended_ = nn::multi_head_attention(x, attention_, valid_, attention_options(run));
  return drop(attended_.y, ".attention.y", run, keep1_);
}

DeviceTensor<double> EncoderLayer::attend_backward(const DeviceTensor<double>& grad_y,
                                                   const EncoderRun& run,
                                                   NamedDeviceTensors& gradients) {
  const DeviceTensor<double> behind =
      rate(run) == 0 ? grad_y : nn::dropout(grad_y, keep1_, rate(run));
  nn::AttentionGradients backward = nn::multi_head_attention_backward(
      behind, attention_in_, attention_, valid_, attended_, attention_options(run));
  attended_ = {};
  put_linear(gradients, place_ + ".attention.in", std::move(backward.parameters.in));
  put_linear(gradients, place_ + ".attention.out", std::move(backward.parameters.out));
  return std::move(backward.grad_x);
}

DeviceTensor<double> EncoderLayer::feed(const DeviceTensor<double>& x, const EncoderRun& run) {
  feed_forward_in_ = x;
  fed_ = nn::feed_forward(x, feed_forward_, feed_forward_options(run));
  return drop(fed_.y, ".feed_forward.y", run, keep2_);
}

DeviceTensor<double> EncoderLayer::feed_backward(const DeviceTensor<double>& grad_y,
                                                 const EncoderRun& run,
                                                 NamedDeviceTensors& gradients) {
  const DeviceTensor<double> behind =
      rate(run) == 0 ? grad_y : nn::dropout(grad_y, keep2_, rate(run));
  nn::FeedForwardGradients backward = nn::feed_forward_backward(
      behind, feed_forward_in_, feed_forward_, fed_, feed_forward_options(run));
  fed_ = {};
  put_linear(gradients, place_ + ".feed_forward.first", std::move(backward.parameters.first));
  put_linear(gradients, place_ + ".feed_forward.second", std::move(backward.parameters.second));
  return std::move(backward.grad_x);
}

DeviceTensor<double> EncoderLayer::forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                                           const EncoderRun& run, NamedDeviceTensors& state) {
  valid_ = valid;
  if (config_.placement == NormPlacement::post) {
    const DeviceTensor<double> h =
        norm1_.forward(ops::add(attend(x, run), x), valid, run.mode, state);
    return norm2_.forward(ops::add(feed(h, run), h), valid, run.mode, state);
  }
  const DeviceTensor<double> h =
      ops::add(attend(norm1_.forward(x, valid, run.mode, state), run), x);
  return ops::add(feed(norm2_.forward(h, valid, run.mode, state), run), h);
}

DeviceTensor<double> EncoderLayer::backward(const DeviceTensor<double>& grad_y,
                                            const EncoderRun& run, NamedDeviceTensors& state,
                                            NamedDeviceTensors& gradients) {
  if (config_.placement == NormPlacement::post) {
    const DeviceTensor<double> to_feed = norm2_.backward(grad_y, state, gradients);
    const DeviceTensor<double> grad_h = ops::add(to_feed, feed_backward(to_feed, run, gradients));
    const DeviceTensor<double> to_attend = norm1_.backward(grad_h, state, gradients);
    return ops::add(to_attend, attend_backward(to_attend, run, gradients));
  }
  const DeviceTensor<double> grad_h =
      ops::add(grad_y, norm2_.backward(feed_backward(grad_y, run, gradients), state, gradients));
  return ops::add(grad_h,
                  norm1_.backward(attend_backward(grad_h, run, gradients), state, gradients));
}

}  // namespace normproof::gpu::encoder
