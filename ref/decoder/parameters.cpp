#include "ref/decoder/parameters.hpp"

#include <fmt/format.h>

#include "ref/encoder/named_parameters.hpp"

namespace normproof::ref::decoder {

namespace {

using encoder::EncoderConfig;
using encoder::visit_linear;
using encoder::visit_norm;
using model::LayersConfig;

constexpr std::string_view kSourcePrefix = "encoder.", kTargetPrefix = "decoder.";

/// Calls f(name, tensor) for every parameter, in the order of parameter_shapes.
template <class Parameters, class F>
void visit_all_parameters(Parameters& p, F f) {
  encoder::visit_layers(std::string(kSourcePrefix), p.encoder, f);
  const std::string prefix(kTargetPrefix);
  f(prefix + "embedding.weight", p.embedding);
  for (std::size_t l = 0; l < p.layers.size(); ++l) {
    const std::string layer = fmt::format("{}layers.{}.", prefix, l);
    auto& own = p.layers[l];
    encoder::visit_attention(layer + "self_attention", own.self_attention, f);
    visit_norm(layer + "norm1", own.norm1, f);
    visit_linear(layer + "cross_attention.query", own.cross_attention.query, f);
    visit_linear(layer + "cross_attention.memory", own.cross_attention.memory, f);
    visit_linear(layer + "cross_attention.out", own.cross_attention.out, f);
    visit_norm(layer + "norm2", own.norm2, f);
    encoder::visit_feed_forward(layer + "feed_forward", own.feed_forward, f);
    visit_norm(layer + "norm3", own.norm3, f);
  }
  visit_norm(prefix + "final_norm", p.final_norm, f);
  visit_linear("head", p.head, f);
}

/// Returns parameters with the configured number of layers on each side. Each parameter of a norm
/// has an entry with an empty tensor.
template <class T>
DecoderParameters<T> make_empty_parameters(const DecoderConfig& config) {
  const auto of_source = encoder::make_empty_norm<T>(config.encoder.norm);
  const auto of_target = encoder::make_empty_norm<T>(config.decoder.norm);
  DecoderParameters<T> parameters;
  parameters.encoder.layers.assign(config.encoder.num_layers, {{}, of_source, {}, of_source});
  parameters.layers.assign(config.decoder.num_layers,
                           {{}, of_target, {}, of_target, {}, of_target});
  if (config.placement == model::NormPlacement::pre) {
    parameters.encoder.final_norm = encoder::make_empty_norm<T>(config.encoder.final_norm);
    parameters.final_norm = encoder::make_empty_norm<T>(config.decoder.final_norm);
  }
  return parameters;
}

/// The name of a parameter without the prefix of its side (source or target), and the configuration
/// of that side. For a parameter of the norm after the last layer, the field `norm` of this
/// configuration is the norm after the last layer.
struct SideAndName {
  EncoderConfig config;
  std::string_view name;
};

SideAndName split_side_from_name(const DecoderConfig& config, std::string_view name) {
  const bool of_source = name.starts_with(kSourcePrefix);
  SideAndName place{of_source ? source_side(config) : target_side(config), name};
  if (of_source || name.starts_with(kTargetPrefix)) place.name.remove_prefix(kSourcePrefix.size());
  if (place.name.starts_with("final_norm."))
    place.config.norm = (of_source ? config.encoder : config.decoder).final_norm;
  return place;
}

tensor::Shape parameter_shape_by_name(const DecoderConfig& config, std::string_view name) {
  const std::size_t d = config.d_model;
  if (name.ends_with("cross_attention.query.weight")) return {d, d};
  if (name.ends_with("cross_attention.memory.weight")) return {2 * d, d};
  if (name.ends_with("cross_attention.memory.bias")) return {2 * d};
  const SideAndName place = split_side_from_name(config, name);
  return encoder::parameter_shape(place.config, place.name);
}

}  // namespace

void check_decoder(std::string_view function, const DecoderConfig& config) {
  const auto check = [&](EncoderConfig own, std::string_view side, const LayersConfig& layers) {
    encoder::check_config(function, own, side);
    if (config.placement != model::NormPlacement::pre) return;
    own.norm = layers.final_norm;
    encoder::check_config(function, own, side, "final_norm");
  };
  check(source_side(config), kSourcePrefix, config.encoder);
  check(target_side(config), kTargetPrefix, config.decoder);
}

std::vector<ParameterShape> parameter_shapes(const DecoderConfig& config) {
  check_decoder("parameter_shapes", config);
  DecoderParameters<double> none = make_empty_parameters<double>(config);
  std::vector<ParameterShape> shapes;
  visit_all_parameters(none, [&](const std::string& name, auto&) {
    if (!config.tied_head || name != "head.weight")
      shapes.push_back({name, parameter_shape_by_name(config, name)});
  });
  return shapes;
}

std::optional<double> initial_norm_value(const DecoderConfig& config, std::string_view name) {
  const SideAndName place = split_side_from_name(config, name);
  const model::NormParameter* const own = encoder::norm_parameter(place.config, place.name);
  if (own == nullptr) return std::nullopt;
  return model::initial_value(place.config.norm, *own);
}

template <numeric::Real T>
NamedTensors<T> to_named(DecoderParameters<T> parameters) {
  NamedTensors<T> named;
  visit_all_parameters(parameters, [&](const std::string& name, Tensor<T>& values) {
    if (tensor::is_given(values)) named.set(name, std::move(values));
  });
  return named;
}

template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, NamedTensors<T>&& named) {
  encoder::check_names_and_shapes(parameter_shapes(config), named);
  DecoderParameters<T> parameters = make_empty_parameters<T>(config);
  visit_all_parameters(parameters, [&](const std::string& name, Tensor<T>& values) {
    if (Tensor<T>* const given = named.find(name)) values = std::move(*given);
  });
  return parameters;
}

template <numeric::Real T>
NamedTensors<T> initial_norm_state(const DecoderConfig& config) {
  check_decoder("initial_norm_state", config);
  NamedTensors<T> state;
  const auto add = [&](std::string_view side, const LayersConfig& own, int norms) {
    for (std::size_t l = 0; l < own.num_layers; ++l)
      for (int n = 1; n <= norms; ++n)
        encoder::add_initial_norm_state(state, own.norm, config.d_model,
                                        fmt::format("{}layers.{}.norm{}", side, l, n));
    if (config.placement == model::NormPlacement::pre)
      encoder::add_initial_norm_state(state, own.final_norm, config.d_model,
                                      fmt::format("{}final_norm", side));
  };
  add(kSourcePrefix, config.encoder, 2);
  add(kTargetPrefix, config.decoder, 3);
  return state;
}

#define NORMPROOF_INSTANTIATE(T)                                                     \
  template NamedTensors<T> to_named(DecoderParameters<T>);                           \
  template DecoderParameters<T> from_named(const DecoderConfig&, NamedTensors<T>&&); \
  template NamedTensors<T> initial_norm_state(const DecoderConfig&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::decoder
