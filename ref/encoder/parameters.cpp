#include "ref/encoder/parameters.hpp"

#include <fmt/format.h>

#include "ref/encoder/named_parameters.hpp"

namespace normproof::ref::encoder {

using numeric::Clause;

namespace {

/// Calls f(name, tensor) for every parameter, in the order of parameter_shapes.
template <class Parameters, class F>
void visit_parameters(Parameters& p, F f) {
  visit_layers("", p, f);
  visit_linear("head", p.head, f);
}

/// Returns parameters with config.num_layers layers. Each parameter of a norm has an entry with an
/// empty tensor.
template <class T>
EncoderParameters<T> make_empty_parameters(const EncoderConfig& config) {
  const norm::NormParameters<T> norm = make_empty_norm<T>(config.norm);
  EncoderParameters<T> parameters;
  parameters.layers.assign(config.num_layers, {{}, norm, {}, norm});
  if (config.placement == model::NormPlacement::pre) parameters.final_norm = norm;
  return parameters;
}

}  // namespace

void check_config(std::string_view function, const EncoderConfig& config, std::string_view place,
                  std::string_view norm) {
  const auto named = [&](std::string_view field) { return fmt::format("{}{}", place, field); };
  const auto check_positive = [&](const char* field, std::size_t value) {
    if (value == 0)
      numeric::contract_failure(function, named(field), "is 0", "1 or more", Clause::C1);
  };
  check_positive("vocab_size", config.vocab_size);
  check_positive("d_model", config.d_model);
  check_positive("num_heads", config.num_heads);
  check_positive("d_ff", config.d_ff);
  check_positive("num_layers", config.num_layers);
  check_positive("num_classes", config.num_classes);
  if (config.d_model % config.num_heads != 0)
    numeric::contract_failure(function, named("num_heads"), fmt::format("is {}", config.num_heads),
                              fmt::format("a divisor of d_model, {}", config.d_model), Clause::C2);
  tensor::check_option(function, named("dropout"), config.dropout,
                       config.dropout >= 0 && config.dropout < 1, "0 <= dropout < 1", Clause::C3);
  const std::optional<std::int64_t> groups = model::count_option(config.norm, "groups");
  if (groups && (*groups < 1 || config.d_model % static_cast<std::size_t>(*groups) != 0))
    numeric::contract_failure(function, named(fmt::format("{}.groups", norm)),
                              fmt::format("is {}", *groups),
                              fmt::format("a divisor of d_model, {}", config.d_model), Clause::C4);
  if (config.causal && model::norm_layer(config.norm).uses_statistics_per_sample())
    numeric::contract_failure(
        function, named(norm),
        fmt::format("is {} where attention is causal", model::norm_name(config.norm)),
        "one without statistics over a sentence", Clause::C6);
  if (config.tied_head && config.num_classes != config.vocab_size)
    numeric::contract_failure(function, named("num_classes"),
                              fmt::format("is {} of a tied head", config.num_classes),
                              fmt::format("vocab_size, {}", config.vocab_size), Clause::C7);
}

std::vector<ParameterShape> parameter_shapes(const EncoderConfig& config) {
  check_config("parameter_shapes", config);
  EncoderParameters<double> none = make_empty_parameters<double>(config);
  std::vector<ParameterShape> shapes;
  visit_parameters(none, [&](const std::string& name, auto&) {
    if (!config.tied_head || name != "head.weight")
      shapes.push_back({name, parameter_shape(config, name)});
  });
  return shapes;
}

tensor::Shape parameter_shape(const EncoderConfig& c, std::string_view name) {
  const std::size_t d = c.d_model;
  if (name == "embedding.weight") return {c.vocab_size, d};
  if (name == "head.weight") return {c.num_classes, d};
  if (name == "head.bias") return {c.num_classes};
  if (name.ends_with("attention.in.weight")) return {3 * d, d};
  if (name.ends_with("attention.in.bias")) return {3 * d};
  if (name.ends_with("attention.out.weight")) return {d, d};
  if (name.ends_with("feed_forward.first.weight")) return {c.d_ff, d};
  if (name.ends_with("feed_forward.first.bias")) return {c.d_ff};
  if (name.ends_with("feed_forward.second.weight")) return {d, c.d_ff};
  const model::NormParameter* const own = norm_parameter(c, name);
  // All parameters that are left have the shape [D]: those of norms and the biases of attention.out
  // and feed_forward.second.
  return {own == nullptr ? d : model::entry_extent(own->shape, d)};
}

const model::NormParameter* norm_parameter(const EncoderConfig& config, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string_view place = name.substr(0, dot);
  place.remove_prefix(place.rfind('.') + 1);
  const bool is_norm = place.starts_with("norm") || place == "final_norm";
  return is_norm ? model::norm_layer(config.norm).parameter(name.substr(dot + 1)) : nullptr;
}

template <numeric::Real T>
NamedTensors<T> to_named(EncoderParameters<T> parameters) {
  NamedTensors<T> named;
  visit_parameters(parameters, [&](const std::string& name, Tensor<T>& values) {
    if (tensor::is_given(values)) named.set(name, std::move(values));
  });
  return named;
}

template <numeric::Real T>
EncoderParameters<T> from_named(const EncoderConfig& config, NamedTensors<T>&& named) {
  check_names_and_shapes(parameter_shapes(config), named);
  EncoderParameters<T> parameters = make_empty_parameters<T>(config);
  visit_parameters(parameters, [&](const std::string& name, Tensor<T>& values) {
    if (Tensor<T>* const given = named.find(name)) values = std::move(*given);
  });
  return parameters;
}

template <numeric::Real T>
NamedTensors<T> initial_norm_state(const EncoderConfig& config) {
  check_config("initial_norm_state", config);
  NamedTensors<T> state;
  const auto add = [&](const std::string& place) {
    add_initial_norm_state(state, config.norm, config.d_model, place);
  };
  for (std::size_t l = 0; l < config.num_layers; ++l) {
    add(fmt::format("layers.{}.norm1", l));
    add(fmt::format("layers.{}.norm2", l));
  }
  if (config.placement == model::NormPlacement::pre) add("final_norm");
  return state;
}

#define NORMPROOF_INSTANTIATE(T)                                                     \
  template NamedTensors<T> to_named(EncoderParameters<T>);                           \
  template EncoderParameters<T> from_named(const EncoderConfig&, NamedTensors<T>&&); \
  template NamedTensors<T> initial_norm_state(const EncoderConfig&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::encoder
