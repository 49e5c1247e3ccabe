#pragma once

#include <map>
#include <numbers>
#include <string>
#include <variant>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation_inputs.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_norms.hpp"

namespace normproof::verification::golden::plain {

template <class T>
using Numbers = std::vector<T>;
template <class T>
using NamedNumbers = std::map<std::string, Numbers<T>>;

template <class T>
T to_scalar(std::size_t n) {
  return static_cast<T>(static_cast<double>(n));
}

inline std::vector<std::size_t> indices_below(std::size_t count) {
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i;
  return indices;
}

/// A linear map. `role` stands for the map in the names of sites, such as "attention.in". The
/// parameters of the map are called `<name>.weight` and `<name>.bias`.
struct PlainLinearMap {
  std::string role, name;
  std::size_t in = 0, out = 0;
};

/// The data that all parts of an encoder share: the parameters, the arithmetic, and operations that
/// several parts need.
template <class T>
class PlainEncoderContext {
 public:
  PlainEncoderContext(const ref::model::EncoderTensors& in, const Style& style, Sites& sites)
      : in_(in), a_(disable_one_pass(style), sites), sites_(sites) {
    for (const auto& [name, values] : in.tensors)
      for (const double v : values) given_[name].push_back(static_cast<T>(v));
    for (const auto& [name, values] : in.state)
      for (const double v : values) state_[name].push_back(static_cast<T>(v));
  }

  void set_rows(std::size_t samples, std::size_t tokens) {
    samples_ = samples;
    tokens_ = tokens;
    valid_.assign(samples * tokens, true);
    if (ref::tensor::is_given(in_.valid)) valid_.assign(in_.valid.begin(), in_.valid.end());
  }

  const Numbers<T>& given(const std::string& name) const { return given_.at(name); }
  std::size_t rows() const { return samples_ * tokens_; }

  /// Returns the linear map of the rows of x: `y = x weight^T + bias`.
  Numbers<T> linear(const PlainLinearMap& map, const Numbers<T>& x) {
    const Numbers<T>& bias = given(map.name + ".bias");
    const std::string sum = "sum of " + map.role, of_bias = "bias of " + map.role;
    const std::vector<std::size_t> inner = indices_below(map.in);
    const Numbers<T> weight = read_weight(map);
    Numbers<T> y(x.size() / map.in * map.out);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::size_t row = k / map.out, o = k % map.out;
      y[k] = a_.sum(sum.c_str(), inner, [&](std::size_t i) {
        return x[row * map.in + i] * weight[o * map.in + i];
      }) + sites_.term(of_bias.c_str(), bias[o]);
    }
    return y;
  }

  /// Returns grad_x and stores the gradients of weight and bias in `gradients`.
  Numbers<T> linear_backward(const PlainLinearMap& map, const Numbers<T>& dy, const Numbers<T>& x,
                             NamedNumbers<T>& gradients) {
    const std::string sum = "sum of the gradient by what " + map.role + " takes";
    const std::vector<std::size_t> outer = indices_below(map.out);
    const Numbers<T> weight = read_weight(map);
    Numbers<T> grad_x(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      grad_x[k] = a_.sum(sum.c_str(), outer, [&](std::size_t o) {
        return dy[k / map.in * map.out + o] * weight[o * map.in + k % map.in];
      });
    const std::vector<std::size_t> all = indices_below(x.size() / map.in);
    const std::string of_weight = "sum of grad_" + map.role + ".weight",
                      of_bias = "sum of grad_" + map.role + ".bias";
    Numbers<T>& grad_weight = gradients["grad_" + map.name + ".weight"];
    Numbers<T>& grad_bias = gradients["grad_" + map.name + ".bias"];
    for (const std::size_t o : outer) {
      for (std::size_t i = 0; i < map.in; ++i)
        grad_weight.push_back(a_.sum(of_weight.c_str(), all, [&](std::size_t row) {
          return dy[row * map.out + o] * x[row * map.in + i];
        }));
      grad_bias.push_back(
          a_.sum(of_bias.c_str(), all, [&](std::size_t row) { return dy[row * map.out + o]; }));
    }
    return grad_x;
  }

  /// Runs the norm whose parameters begin with `place`, using PlainNormLayers. Errors can be
  /// injected at those sites of the norm that affect an output of the encoder.
  NamedNumbers<T> norm(const std::string& place, const Numbers<T>& x, const Numbers<T>& dy) {
    constexpr const char* kPrefix = "norm: ";
    ref::model::NormInputs<double> inputs{
        .x = to_tensor(x), .grad_y = to_tensor(dy), .valid = in_.valid, .mode = in_.mode};
    for (const auto& own : ref::model::norm_layer(in_.config.norm).parameters)
      ref::model::set_parameter(inputs, own.name, find_parameter(place, own.name));
    NamedNumbers<T> state;
    for (const auto& [name, values] : state_)
      if (name.starts_with(place + ".")) state[name.substr(place.size() + 1)] = values;
    Sites own = sites_.part(kPrefix);
    PlainNormLayers<T> layer({samples_, tokens_, in_.config.d_model}, inputs, state,
                             PlainArithmetic<T>(a_.style(), own, false));
    std::visit(layer, in_.config.norm);
    offer_mutations(kPrefix, own);
    NamedNumbers<T> results = layer.take();
    for (auto& [name, values] : state) results["state " + name] = std::move(values);
    return results;
  }

  /// Offers those mutations of a part of the encoder that can change an output of the encoder.
  /// `prefix` is added to the names of their sites.
  void offer_mutations(const std::string& prefix, const Sites& part) {
    for (const Mutation& mutation : part.seen())
      if (can_change_encoder_output(mutation.site) &&
          (pads_have_gradients_ || !mutation.site.starts_with("rows of ")))
        sites_.any((prefix + mutation.site).c_str(), {mutation.op});
  }

  /// Whether dropout has any effect.
  bool has_dropout() const {
    return in_.config.dropout > 0 && in_.mode == ref::model::Mode::training;
  }

  /// Applies the dropout of the sublayer `place`. Elements that are kept are multiplied by
  /// `1/(1-p)`, with p the dropout probability; other elements become 0. If `backward` is set,
  /// applies the same to gradients; errors can be injected there separately.
  Numbers<T> apply_dropout(const std::string& place, Numbers<T> values, bool backward = false) {
    const double p = in_.config.dropout;
    if (p == 0) return values;
    const std::string of = place + (backward ? ", backward" : "");
    if (has_dropout() ? sites_.any(("dropout of " + of).c_str(), {MutationOperator::drop}) ==
                            MutationOperator::drop
                      : sites_.any(("dropout in inference of " + of).c_str(),
                                   {MutationOperator::insert}) != MutationOperator::insert)
      return values;
    const ref::tensor::Mask& keep = dropout_mask_at(place, of);
    const bool shifted = sites_.any(("place in the mask of " + of).c_str(),
                                    {MutationOperator::other}) == MutationOperator::other;
    const std::string mask = "mask of " + of;
    const T scale = dropout_scale(of);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool kept = keep.data()[shifted ? (i + 1) % values.size() : i];
      const bool counts = sites_.mask(mask.c_str(), kept);
      values[i] = !counts             ? T(0)
                  : a_.style().divide ? values[i] / static_cast<T>(1 - p)
                                      : values[i] * scale;
    }
    return values;
  }

  const ref::model::EncoderTensors& in_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  std::size_t samples_ = 0, tokens_ = 0;
  std::vector<bool> valid_;
  /// Whether padding has gradients. If not, the gradient of a parameter does not depend on which
  /// rows are padding.
  bool pads_have_gradients_ = true;

 private:
  /// Returns `1/(1-p)`, with p the dropout probability, unless an error is injected.
  T dropout_scale(const std::string& of) {
    const T p = static_cast<T>(in_.config.dropout);
    switch (sites_.any(("scale of " + of).c_str(),
                       {MutationOperator::drop, MutationOperator::complement,
                        MutationOperator::other, MutationOperator::square})) {
      case MutationOperator::drop:
        return T(1);
      case MutationOperator::complement:  // error: p instead of 1 - p
        return 1 / p;
      // error: the scale of implementations that scale in inference instead of training
      case MutationOperator::other:
        return 1 - p;
      case MutationOperator::square:
        return 1 / ((1 - p) * (1 - p));
      default:
        return 1 / (1 - p);
    }
  }

  /// Returns the dropout mask of the sublayer `place`. An injected error can replace it by the mask
  /// of the next sublayer. The two masks have the same shape.
  const ref::tensor::Mask& dropout_mask_at(const std::string& place, const std::string& of) const {
    const auto is_sublayer = [](const std::string& name) { return name.ends_with(".y"); };
    const bool wrong =
        is_sublayer(place) && sites_.any(("side of the mask in " + of).c_str(),
                                         {MutationOperator::other}) == MutationOperator::other;
    auto mask = in_.masks.find(place);
    do {
      if (!wrong) break;
      if (++mask == in_.masks.end()) mask = in_.masks.begin();
    } while (!is_sublayer(mask->first));
    return mask->second;
  }

  static Style disable_one_pass(Style style) {
    style.one_pass = false;
    return style;
  }
  static bool can_change_encoder_output(const std::string& site) {
    return site.find("returned") == std::string::npos && !site.starts_with("reading ") &&
           !site.starts_with("writing ");
  }

  /// Returns the weight of the map as [out,in]. An injected error can transpose it.
  Numbers<T> read_weight(const PlainLinearMap& map) {
    Numbers<T> weight = given(map.name + ".weight");
    const std::string site = "weight of " + map.role;
    if (sites_.any(site.c_str(), {MutationOperator::transposed}) == MutationOperator::none)
      return weight;
    const Numbers<T> old = weight;
    for (std::size_t k = 0; k < old.size(); ++k) weight[k] = old[k % map.in * map.out + k / map.in];
    return weight;
  }

  ref::tensor::Tensor<double> to_tensor(const Numbers<T>& values) const {
    if (values.empty()) return {};
    auto tensor = ref::tensor::empty_tensor<double>({samples_, tokens_, in_.config.d_model});
    for (std::size_t i = 0; i < values.size(); ++i)
      tensor.data()[i] = static_cast<double>(values[i]);
    return tensor;
  }
  ref::tensor::Tensor<double> find_parameter(const std::string& place,
                                             std::string_view name) const {
    const auto* const tensor = in_.tensors.find(place + "." + std::string(name));
    return tensor == nullptr ? ref::tensor::Tensor<double>() : *tensor;
  }

  NamedNumbers<T> given_, state_;
};

}  // namespace normproof::verification::golden::plain
