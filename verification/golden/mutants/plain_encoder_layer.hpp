#pragma once

#include <algorithm>

#include "verification/golden/mutants/plain_encoder_parts.hpp"

namespace normproof::verification::golden::mutants {

/// The gradients by the parameters, and the state, of a norm at its place.
template <class T>
void keep_norm(const std::string& place, const NamedNumbers<T>& results, NamedNumbers<T>& kept) {
  constexpr std::string_view kState = "state ", kGradient = "grad_";
  for (const auto& [name, values] : results) {
    if (name.starts_with(kState)) kept[place + "." + name.substr(kState.size())] = values;
    if (name.starts_with(kGradient) && name != "grad_x")
      kept["grad_" + place + "." + name.substr(kGradient.size())] = values;
  }
}

/// Attention in plain loops, with its backward.
template <class T>
class PlainAttention {
 public:
  PlainAttention(PlainParts<T>& parts, const std::string& place)
      : parts_(parts),
        sites_(parts.sites_),
        heads_(parts.in_.config.num_heads),
        width_(parts.in_.config.d_model),
        in_map_{"attention.in", place + "attention.in", width_, 3 * width_},
        out_map_{"attention.out", place + "attention.out", width_, width_} {}

  Numbers<T> forward(const Numbers<T>& x) {
    qkv_ = parts_.linear(in_map_, x);
    const std::size_t tokens = parts_.tokens_, squares = parts_.samples_ * heads_ * tokens * tokens;
    weights_.assign(squares, T(0));
    for (std::size_t k = 0; k < squares; ++k) weights_[k] = score(k);
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < tokens; ++i) softmax(b, h, i);
    dropped_ = parts_.dropped("attention.weights", weights_);
    context_.assign(x.size(), T(0));
    for_each_value([&](std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
      context_[context_at(b, h, i, c)] =
          parts_.a_.sum("sum of the context", first_indices(tokens), [&](std::size_t j) {
            return dropped_[weight_at(b, h, i, j)] * qkv_[part_at(kValues, b, h, j, c)];
          });
    });
    return parts_.linear(out_map_, context_);
  }

  const Numbers<T>& weights() const { return weights_; }

  Numbers<T> backward(const Numbers<T>& dy, const Numbers<T>& x, NamedNumbers<T>& gradients) {
    const std::size_t tokens = parts_.tokens_;
    const Numbers<T> grad_context = parts_.linear_backward(out_map_, dy, context_, gradients);
    const Numbers<T> grad_scores = softmax_backward(grad_context);
    const T scale = sites_.factor("1/sqrt(d_k) in the backward", scale_of());
    Numbers<T> grad_qkv(qkv_.size(), T(0));
    const Numbers<T>& used = of_both("weights before dropout in the gradient by the values");
    const std::vector<std::size_t> all = first_indices(tokens);
    for_each_value([&](std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
      grad_qkv[part_at(kQueries, b, h, i, c)] =
          scale * parts_.a_.sum("sum of the gradient by the queries", all, [&](std::size_t j) {
            return grad_scores[weight_at(b, h, i, j)] * qkv_[part_at(kKeys, b, h, j, c)];
          });
      grad_qkv[part_at(kKeys, b, h, i, c)] =
          scale * parts_.a_.sum("sum of the gradient by the keys", all, [&](std::size_t j) {
            return grad_scores[weight_at(b, h, j, i)] * qkv_[part_at(kQueries, b, h, j, c)];
          });
      grad_qkv[part_at(kValues, b, h, i, c)] =
          parts_.a_.sum("sum of the gradient by the values", all, [&](std::size_t j) {
            return used[weight_at(b, h, j, i)] * grad_context[context_at(b, h, j, c)];
          });
    });
    return parts_.linear_backward(in_map_, grad_qkv, x, gradients);
  }

 private:
  enum Part : std::size_t { kQueries, kKeys, kValues };

  std::size_t d_k() const { return width_ / heads_; }
  T scale_of() {
    const bool whole =
        sites_.any("d_k and d_model", {MutationOperator::other}) == MutationOperator::other;
    return 1 / sqrt_of(number_of<T>(whole ? width_ : d_k()));
  }

  /// The feature of a head: head after head, or the heads in turn.
  std::size_t feature(std::size_t h, std::size_t c) {
    const bool in_turn =
        sites_.any("features of a head", {MutationOperator::other}) == MutationOperator::other;
    return in_turn ? c * heads_ + h : h * d_k() + c;
  }
  std::size_t context_at(std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
    return (b * parts_.tokens_ + i) * width_ + feature(h, c);
  }
  std::size_t part_at(Part part, std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
    std::size_t number = part;
    if (sites_.any("queries and keys", {MutationOperator::other}) == MutationOperator::other &&
        part != kValues)
      number = part == kQueries ? kKeys : kQueries;
    if (sites_.any("keys and values", {MutationOperator::other}) == MutationOperator::other &&
        part != kQueries)
      number = part == kKeys ? kValues : kKeys;
    return (b * parts_.tokens_ + i) * 3 * width_ + number * width_ + feature(h, c);
  }
  std::size_t weight_at(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return ((b * heads_ + h) * parts_.tokens_ + i) * parts_.tokens_ + j;
  }

  template <class F>
  void for_each_value(F f) const {
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < parts_.tokens_; ++i)
          for (std::size_t c = 0; c < d_k(); ++c) f(b, h, i, c);
  }

  template <class F>
  void for_each_score(F f) const {
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < parts_.tokens_; ++i)
          for (std::size_t j = 0; j < parts_.tokens_; ++j) f(b, h, i, j);
  }

  /// The weights before dropout, and behind it by mistake; or the other way round.
  const Numbers<T>& of_both(const char* site) {
    const bool before = std::string_view(site).starts_with("weights after");
    const Numbers<T>& right = before ? weights_ : dropped_;
    if (!parts_.drops()) return right;
    return sites_.pick(site, right, before ? dropped_ : weights_);
  }

  T score(std::size_t k) {
    const std::size_t tokens = parts_.tokens_, j = k % tokens, i = k / tokens % tokens,
                      h = k / (tokens * tokens) % heads_, b = k / (tokens * tokens * heads_);
    const T product = parts_.a_.sum("sum of a score", first_indices(d_k()), [&](std::size_t c) {
      return qkv_[part_at(kQueries, b, h, i, c)] * qkv_[part_at(kKeys, b, h, j, c)];
    });
    if (parts_.a_.style().divide) return product / sqrt_of(number_of<T>(d_k()));
    return product * sites_.factor("1/sqrt(d_k)", scale_of());
  }

  /// Whether a causal mask lets query i see key j; where there is none it does, but by mistake.
  bool is_early(std::size_t i, std::size_t j) {
    using enum MutationOperator;
    constexpr const char* kSite = "causal mask";
    if (!parts_.in_.config.causal) return j <= i || sites_.any(kSite, {insert}) != insert;
    switch (sites_.any(kSite, {drop, one_more, one_less, transposed})) {
      case drop:
        return true;
      case one_more:
        return j <= i + 1;
      case one_less:
        return j < i;
      case transposed:  // later keys
        return j >= i;
      default:
        return j <= i;
    }
  }

  /// The scores of a query, in the place of which their weights come.
  void softmax(std::size_t b, std::size_t h, std::size_t i) {
    const bool over_queries =
        sites_.any("axis of the softmax", {MutationOperator::other}) == MutationOperator::other;
    std::vector<std::size_t> counted, all;
    for (std::size_t j = 0; j < parts_.tokens_; ++j) {
      all.push_back(over_queries ? weight_at(b, h, j, i) : weight_at(b, h, i, j));
      if (!is_early(i, j)) continue;
      if (sites_.mask("mask of the keys", parts_.valid_[b * parts_.tokens_ + j]))
        counted.push_back(all.back());
    }
    Numbers<T> scores;
    for (const std::size_t at : all) scores.push_back(weights_[at]);
    for (const std::size_t at : all) weights_[at] = T(0);
    if (counted.empty()) return;
    T largest = scores[counted[0] == all[0] ? 0 : index_of(all, counted[0])];
    for (const std::size_t at : counted) largest = std::max(largest, scores[index_of(all, at)]);
    const T sum = parts_.a_.sum("sum of the softmax", counted, [&](std::size_t at) {
      return exp_of(scores[index_of(all, at)] - largest);
    });
    for (const std::size_t at : counted) {
      const T e = exp_of(scores[index_of(all, at)] - largest);
      const bool whole = sites_.any("division by the sum of the softmax",
                                    {MutationOperator::drop}) == MutationOperator::drop;
      weights_[at] = whole ? e : parts_.a_.over(e, sum);
    }
  }
  static std::size_t index_of(const std::vector<std::size_t>& all, std::size_t at) {
    return static_cast<std::size_t>(std::ranges::find(all, at) - all.begin());
  }

  /// g_ij = w_ij (gw_ij - sum_j gw_ij w_ij)
  Numbers<T> softmax_backward(const Numbers<T>& grad_context) {
    const std::size_t tokens = parts_.tokens_;
    Numbers<T> of_weights(weights_.size());
    for_each_score([&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      of_weights[weight_at(b, h, i, j)] = parts_.a_.sum(
          "sum of the gradient by the weights of attention", first_indices(d_k()),
          [&](std::size_t c) {
            return grad_context[context_at(b, h, i, c)] * qkv_[part_at(kValues, b, h, j, c)];
          });
    });
    of_weights = parts_.dropped("attention.weights", of_weights, true);
    const Numbers<T>& w = of_both("weights after dropout in the backward of the softmax");
    Numbers<T> grad(weights_.size());
    for_each_score([&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      const T mean = parts_.a_.sum("sum in the backward of the softmax", first_indices(tokens),
                                   [&](std::size_t k) {
                                     const std::size_t at = weight_at(b, h, i, k);
                                     return of_weights[at] * w[at];
                                   });
      const std::size_t at = weight_at(b, h, i, j);
      grad[at] = sites_.factor("weight in the backward of the softmax", w[at]) *
                 (of_weights[at] - sites_.term("sum in the backward of the softmax", mean));
    });
    return grad;
  }

  PlainParts<T>& parts_;
  Sites& sites_;
  std::size_t heads_, width_;
  PlainMap in_map_, out_map_;
  Numbers<T> qkv_, weights_, dropped_, context_;
};

/// second(activation(first(x))) in plain loops, with its backward.
template <class T>
class PlainFeedForward {
 public:
  PlainFeedForward(PlainParts<T>& parts, const std::string& place)
      : parts_(parts),
        sites_(parts.sites_),
        activation_(parts.in_.config.activation),
        first_{"feed_forward.first", place + "feed_forward.first", parts.in_.config.d_model,
               parts.in_.config.d_ff},
        second_{"feed_forward.second", place + "feed_forward.second", parts.in_.config.d_ff,
                parts.in_.config.d_model} {}

  Numbers<T> forward(const Numbers<T>& x) {
    inner_ = parts_.linear(first_, x);
    active_.clear();
    for (const T v : inner_)
      active_.push_back(activation_ == model::Activation::relu ? rectified(v) : v * gate(v));
    active_ = parts_.dropped("feed_forward.active", active_);
    return parts_.linear(second_, active_);
  }

  Numbers<T> backward(const Numbers<T>& dy, const Numbers<T>& x, NamedNumbers<T>& gradients) {
    Numbers<T> grad = parts_.dropped("feed_forward.active",
                                     parts_.linear_backward(second_, dy, active_, gradients), true);
    for (std::size_t i = 0; i < grad.size(); ++i)
      grad[i] *= activation_ == model::Activation::relu
                     ? step(inner_[i])
                     : gate(inner_[i]) + sites_.term("x times the slope of the gate",
                                                     inner_[i] * slope(inner_[i]));
    return parts_.linear_backward(first_, grad, x, gradients);
  }

 private:
  T rectified(T x) {
    const MutationOperator below =
        sites_.any("values below 0", {MutationOperator::drop, MutationOperator::negate});
    if (x > 0 || below == MutationOperator::drop) return x;
    return below == MutationOperator::negate ? -x : T(0);
  }
  /// At 0 itself the bound allows for both sides: another order of the sums may not end there.
  T step(T x) {
    const bool always =
        sites_.any("derivative", {MutationOperator::drop}) == MutationOperator::drop;
    return x > 0 || always ? T(1) : T(0);
  }

  bool by_tanh() {
    const bool other =
        sites_.any("formula of the gate", {MutationOperator::other}) == MutationOperator::other;
    return (activation_ == model::Activation::gelu_tanh) != other;
  }
  static T tanh_argument(T x) {
    return static_cast<T>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
           (x + static_cast<T>(0.044715) * x * x * x);
  }
  T gate(T x) {
    if (by_tanh()) return (1 + tanh_of(tanh_argument(x))) / 2;
    const T argument = x * static_cast<T>(1 / std::numbers::sqrt2);
    return parts_.a_.style().divide ? erfc_of(-argument) / 2 : (1 + erf_of(argument)) / 2;
  }
  T slope(T x) {
    if (by_tanh()) {
      const T t = tanh_of(tanh_argument(x));
      const T of_argument = static_cast<T>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
                            (1 + 3 * static_cast<T>(0.044715) * x * x);
      return (1 - t * t) * of_argument / 2;
    }
    return exp_of(-(x * x) / 2) * static_cast<T>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }

  PlainParts<T>& parts_;
  Sites& sites_;
  model::Activation activation_;
  PlainMap first_, second_;
  Numbers<T> inner_, active_;
};

/// One layer in plain loops, post or pre; `place` begins the names of its parameters.
template <class T>
class PlainEncoderLayer {
 public:
  PlainEncoderLayer(PlainParts<T>& parts, std::string place)
      : parts_(parts),
        sites_(parts.sites_),
        place_(std::move(place)),
        attention_(parts, place_),
        feed_forward_(parts, place_) {
    post_ = (parts.in_.config.placement == model::NormPlacement::post) !=
            (sites_.any("place of the norm", {MutationOperator::other}) == MutationOperator::other);
    if (sites_.any("norm1 and norm2", {MutationOperator::other}) == MutationOperator::other)
      std::swap(attention_site_.norm, feed_forward_site_.norm);
  }

  Numbers<T> forward(const Numbers<T>& x) {
    const auto attend = [&](const Numbers<T>& v) { return attention_.forward(v); };
    const auto feed = [&](const Numbers<T>& v) { return feed_forward_.forward(v); };
    const Numbers<T> h = sublayer(attention_site_, x, attend);
    return sublayer(feed_forward_site_, h, feed);
  }

  const Numbers<T>& weights() const { return attention_.weights(); }

  Numbers<T> backward(const Numbers<T>& dy, NamedNumbers<T>& gradients) {
    const auto fed = [&](const Numbers<T>& g, const Numbers<T>& v) {
      return feed_forward_.backward(g, v, gradients);
    };
    const auto attended = [&](const Numbers<T>& g, const Numbers<T>& v) {
      return attention_.backward(g, v, gradients);
    };
    const Numbers<T> grad_h = sublayer_backward(feed_forward_site_, dy, fed, gradients);
    return sublayer_backward(attention_site_, grad_h, attended, gradients);
  }

 private:
  /// A sublayer with its norm and its residual.
  struct Sublayer {
    const char *norm, *dropout;
    const char *residual, *backward;
    Numbers<T> taken = {}, normed = {};  ///< what the sublayer and the norm took
  };

  template <class F>
  Numbers<T> sublayer(Sublayer& own, const Numbers<T>& x, F f) {
    if (post_) {
      own.taken = x;
      own.normed = residual(own, f(x), x);
      return parts_.norm(place_ + own.norm, own.normed, {})["y"];
    }
    own.normed = x;
    own.taken = parts_.norm(place_ + own.norm, x, {})["y"];
    return residual(own, f(own.taken), x);
  }

  /// dropout(y) + x
  Numbers<T> residual(const Sublayer& own, Numbers<T> y, const Numbers<T>& x) {
    const bool late =
        parts_.drops() && sites_.any("dropout over the residual", {MutationOperator::insert}) ==
                              MutationOperator::insert;
    if (late) return parts_.dropped(own.dropout, sum_of(std::move(y), x, own.residual));
    return sum_of(parts_.dropped(own.dropout, std::move(y)), x, own.residual);
  }

  template <class F>
  Numbers<T> sublayer_backward(Sublayer& own, const Numbers<T>& dy, F f,
                               NamedNumbers<T>& gradients) {
    const auto through_norm = [&](const Numbers<T>& g) {
      NamedNumbers<T> results = parts_.norm(place_ + own.norm, own.normed, g);
      keep_norm(place_ + own.norm, results, gradients);
      return results.at("grad_x");
    };
    const auto through_sublayer = [&](const Numbers<T>& g) {
      return f(parts_.dropped(own.dropout, g, true), own.taken);
    };
    if (!post_) return sum_of(through_norm(through_sublayer(dy)), dy, own.backward);
    const Numbers<T> grad = through_norm(dy);
    return sum_of(through_sublayer(grad), grad, own.backward);
  }

  Numbers<T> sum_of(Numbers<T> sum, const Numbers<T>& residual, const char* site) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += sites_.term(site, residual[i]);
    return sum;
  }

  PlainParts<T>& parts_;
  Sites& sites_;
  std::string place_;
  bool post_ = true;
  PlainAttention<T> attention_;
  PlainFeedForward<T> feed_forward_;
  Sublayer attention_site_{"norm1", "attention.y", "residual of attention",
                           "residual of attention in the backward"};
  Sublayer feed_forward_site_{"norm2", "feed_forward.y", "residual of the feed-forward",
                              "residual of the feed-forward in the backward"};
};

}  // namespace normproof::verification::golden::mutants
