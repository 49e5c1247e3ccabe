#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/tensor/contract.hpp"

/// Functions that give parameters their names. All models that consist of layers use them.
namespace normproof::ref::encoder {

/// Each of the functions below calls f for each parameter of one part of a model, in the documented
/// order. The arguments of f are the full name of the parameter and its tensor. `name` is the name
/// of the part, with which the names of its parameters begin.
template <class Map, class F>
void visit_linear(const std::string& name, Map& map, F f) {
  f(name + ".weight", map.weight);
  f(name + ".bias", map.bias);
}
template <class Entries, class F>
void visit_norm(const std::string& name, Entries& entries, F f) {
  for (auto& [own, values] : entries) f(fmt::format("{}.{}", name, own), values);
}
template <class Attention, class F>
void visit_attention(const std::string& name, Attention& attention, F f) {
  visit_linear(name + ".in", attention.in, f);
  visit_linear(name + ".out", attention.out, f);
}
template <class FeedForward, class F>
void visit_feed_forward(const std::string& name, FeedForward& map, F f) {
  visit_linear(name + ".first", map.first, f);
  visit_linear(name + ".second", map.second, f);
}

/// Calls f(name, tensor) for each parameter of an encoder except its head. All names begin with
/// `prefix`.
template <class Parameters, class F>
void visit_layers(const std::string& prefix, Parameters& p, F f) {
  f(prefix + "embedding.weight", p.embedding);
  for (std::size_t l = 0; l < p.layers.size(); ++l) {
    const std::string layer = fmt::format("{}layers.{}.", prefix, l);
    auto& own = p.layers[l];
    visit_attention(layer + "attention", own.attention, f);
    visit_norm(layer + "norm1", own.norm1, f);
    visit_feed_forward(layer + "feed_forward", own.feed_forward, f);
    visit_norm(layer + "norm2", own.norm2, f);
  }
  visit_norm(prefix + "final_norm", p.final_norm, f);
}

/// Returns one entry for each parameter of the norm: the name of the parameter and an empty tensor.
template <class T>
norm::NormParameters<T> make_empty_norm(const model::NormOptions& options) {
  norm::NormParameters<T> norm;
  for (const model::NormParameter& own : model::norm_layer(options).parameters)
    norm.set(own.name, {});
  return norm;
}

/// Checks that `named` has exactly the tensors with the names and shapes in `shapes`.
/// Requires  (C5) of from_named
template <class T>
void check_names_and_shapes(const std::vector<ParameterShape>& shapes,
                            const NamedTensors<T>& named) {
  std::vector<std::string> known;
  for (const ParameterShape& expected : shapes) {
    known.push_back(expected.name);
    const Tensor<T>* const values = named.find(expected.name);
    if (values == nullptr)
      numeric::contract_failure("from_named", expected.name, "is absent",
                                "shape " + tensor::to_string(expected.shape), numeric::Clause::C5);
    tensor::check_shape("from_named", expected.name, tensor::shape_of(*values), expected.shape,
                        numeric::Clause::C5);
  }
  for (const auto& entry : named)
    if (std::ranges::find(known, entry.name) == known.end())
      throw numeric::ContractError(
          {.observation = numeric::unknown_name("parameter", entry.name, known),
           .clause = numeric::Clause::C5});
}

/// Adds to `state` the initial running statistics of one norm. `place`, the name of the norm in the
/// model, is the prefix of their names.
template <class T>
void add_initial_norm_state(NamedTensors<T>& state, const model::NormOptions& options,
                            std::size_t d_model, const std::string& place) {
  for (const auto& [name, values] : norm::initial_state<T>(options, d_model))
    state.set(fmt::format("{}.{}", place, name), values);
}

}  // namespace normproof::ref::encoder
