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

/// The positions of a source, to which those of a target attend.
struct PlainSource {
  std::size_t length = 0;
  std::vector<bool> valid;
};

/// Attention in plain loops, with its backward: of tokens to themselves, or to a memory of the
/// positions of a source. Sites of the latter begin with "cross_attention: ".
template <class T>
class PlainAttention {
 public:
  /// `role` is "attention" behind `place`, or what a decoder calls it there.
  PlainAttention(PlainParts<T>& parts, const std::string& place, std::string role,
                 const PlainSource* source = nullptr)
      : parts_(parts),
        crosses_(source != nullptr),
        of_cross_(parts.sites_.part(kOfCross)),
        sites_(crosses_ ? of_cross_ : parts.sites_),
        a_(parts.a_.style(), sites_),
        role_(std::move(role)),
        heads_(parts.in_.config.num_heads),
        width_(parts.in_.config.d_model),
        keys_(crosses_ ? source->length : parts.tokens_),
        valid_(crosses_ ? source->valid : parts.valid_),
        query_map_(map_of(place, "query", 1)),
        joint_map_(crosses_ ? map_of(place, "memory", 2) : map_of(place, "in", 3)),
        out_map_(map_of(place, "out", 1)) {}
  PlainAttention(const PlainAttention&) = delete;
  PlainAttention& operator=(const PlainAttention&) = delete;

  /// `memory` of a source alone.
  Numbers<T> forward(const Numbers<T>& x, const Numbers<T>& memory = {}) {
    if (crosses_) {
      memory_ = memory_or(memory, x);
      projected_.queries = parts_.linear(query_map_, x);
    }
    projected_.joint = parts_.linear(joint_map_, crosses_ ? memory_ : x);
    const std::size_t rows = parts_.samples_ * heads_ * parts_.tokens_;
    weights_.assign(rows * keys_, T(0));
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = score(k);
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < parts_.tokens_; ++i) softmax(b, h, i);
    dropped_ = parts_.dropped(role_ + ".weights", weights_);
    context_.assign(x.size(), T(0));
    for_each_value(parts_.tokens_, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
      context_[context_at(b, h, i, c)] =
          a_.sum("sum of the context", first_indices(keys_), [&](std::size_t j) {
            return dropped_[weight_at(b, h, i, j)] * at(projected_, kValues, b, h, j, c);
          });
    });
    pass_on();
    return parts_.linear(out_map_, context_);
  }

  const Numbers<T>& weights() const { return weights_; }

  /// The gradient by x; that by the memory is one of `gradients`.
  Numbers<T> backward(const Numbers<T>& dy, const Numbers<T>& x, NamedNumbers<T>& gradients) {
    const Numbers<T> grad_context = parts_.linear_backward(out_map_, dy, context_, gradients);
    const Numbers<T> grad_scores = softmax_backward(grad_context);
    const T scale = sites_.factor("1/sqrt(d_k) in the backward", scale_of());
    Projections grad{Numbers<T>(projected_.queries.size(), T(0)),
                     Numbers<T>(projected_.joint.size(), T(0))};
    const Numbers<T>& used = of_both("weights before dropout in the gradient by the values");
    const std::vector<std::size_t> queries = first_indices(parts_.tokens_);
    for_each_value(parts_.tokens_, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
      at(grad, kQueries, b, h, i, c) =
          scale *
          a_.sum("sum of the gradient by the queries", first_indices(keys_), [&](std::size_t j) {
            return grad_scores[weight_at(b, h, i, j)] * at(projected_, kKeys, b, h, j, c);
          });
    });
    for_each_value(keys_, [&](std::size_t b, std::size_t h, std::size_t j, std::size_t c) {
      at(grad, kKeys, b, h, j, c) =
          scale * a_.sum("sum of the gradient by the keys", queries_of(j), [&](std::size_t i) {
            return grad_scores[weight_at(b, h, i, j)] * at(projected_, kQueries, b, h, i, c);
          });
      at(grad, kValues, b, h, j, c) =
          a_.sum("sum of the gradient by the values", queries, [&](std::size_t i) {
            return used[weight_at(b, h, i, j)] * grad_context[context_at(b, h, i, c)];
          });
    });
    if (crosses_) memory_backward(grad.joint, gradients);
    pass_on();
    return crosses_ ? parts_.linear_backward(query_map_, grad.queries, x, gradients)
                    : parts_.linear_backward(joint_map_, grad.joint, x, gradients);
  }

 private:
  static constexpr const char* kOfCross = "cross_attention: ";
  enum Part : std::size_t { kQueries, kKeys, kValues };

  /// Row by row, from one map: queries, keys and values; of a memory keys and values, and the
  /// queries by themselves.
  struct Projections {
    Numbers<T> queries, joint;
  };

  PlainMap map_of(const std::string& place, const char* name, std::size_t parts) const {
    const std::string own = role_ + "." + name;
    return {own, place + own, width_, parts * width_};
  }
  void pass_on() {
    if (crosses_) parts_.pass_on(kOfCross, of_cross_);
  }

  /// What keys and values are made of.
  Numbers<T> memory_or(const Numbers<T>& memory, const Numbers<T>& x) {
    const bool next =
        sites_.any("sentence of the memory", {MutationOperator::other}) == MutationOperator::other;
    const bool own = sites_.any("memory", {MutationOperator::other}) == MutationOperator::other;
    if (!next && !own) return memory;
    Numbers<T> wrong;
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t s = 0; s < keys_; ++s) {
        const std::size_t row =
            own ? b * parts_.tokens_ + s % parts_.tokens_ : (b + 1) % parts_.samples_ * keys_ + s;
        for (std::size_t d = 0; d < width_; ++d)
          wrong.push_back((own ? x : memory)[row * width_ + d]);
      }
    return wrong;
  }

  /// Through keys and values together.
  void memory_backward(Numbers<T> grad, NamedNumbers<T>& gradients) {
    Numbers<T> of_memory = parts_.linear_backward(joint_map_, grad, memory_, gradients);
    bool partial = false;
    for (const auto& [part, site] :
         {std::pair{kKeys, "keys in grad_memory"}, std::pair{kValues, "values in grad_memory"}}) {
      if (sites_.any(site, {MutationOperator::drop}) != MutationOperator::drop) continue;
      partial = true;
      for (std::size_t i = 0; i < grad.size(); ++i)
        if (i % (2 * width_) / width_ == part - kKeys) grad[i] = T(0);
    }
    NamedNumbers<T> of_map;
    if (partial) of_memory = parts_.linear_backward(joint_map_, grad, memory_, of_map);
    gradients["grad_memory"] = std::move(of_memory);
  }

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
  T& at(Projections& of, Part part, std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
    std::size_t number = part;
    if (!crosses_ && part != kValues &&
        sites_.any("queries and keys", {MutationOperator::other}) == MutationOperator::other)
      number = part == kQueries ? kKeys : kQueries;
    if (sites_.any("keys and values", {MutationOperator::other}) == MutationOperator::other &&
        part != kQueries)
      number = part == kKeys ? kValues : kKeys;
    if (!crosses_) return of.joint[(b * keys_ + i) * 3 * width_ + number * width_ + feature(h, c)];
    if (number == kQueries) return of.queries[context_at(b, h, i, c)];
    return of.joint[(b * keys_ + i) * 2 * width_ + (number - kKeys) * width_ + feature(h, c)];
  }
  std::size_t weight_at(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return ((b * heads_ + h) * parts_.tokens_ + i) * keys_ + j;
  }

  template <class F>
  void for_each_value(std::size_t rows, F f) const {
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t c = 0; c < d_k(); ++c) f(b, h, i, c);
  }

  template <class F>
  void for_each_score(F f) const {
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < parts_.tokens_; ++i)
          for (std::size_t j = 0; j < keys_; ++j) f(b, h, i, j);
  }

  /// The weights before dropout, and behind it by mistake; or the other way round.
  const Numbers<T>& of_both(const char* site) {
    const bool before = std::string_view(site).starts_with("weights after");
    const Numbers<T>& right = before ? weights_ : dropped_;
    if (!parts_.drops()) return right;
    return sites_.pick(site, right, before ? dropped_ : weights_);
  }

  T score(std::size_t k) {
    const std::size_t j = k % keys_, i = k / keys_ % parts_.tokens_,
                      h = k / (parts_.tokens_ * keys_) % heads_,
                      b = k / (parts_.tokens_ * keys_ * heads_);
    const T product = a_.sum("sum of a score", first_indices(d_k()), [&](std::size_t c) {
      return at(projected_, kQueries, b, h, i, c) * at(projected_, kKeys, b, h, j, c);
    });
    if (a_.style().divide) return product / sqrt_of(number_of<T>(d_k()));
    return product * sites_.factor("1/sqrt(d_k)", scale_of());
  }

  /// Whether a causal mask lets query i see key j; where there is none it does, but by mistake.
  bool is_early(std::size_t i, std::size_t j) {
    using enum MutationOperator;
    constexpr const char* kSite = "causal mask";
    if (crosses_ || !parts_.in_.config.causal)
      return j <= i || sites_.any(kSite, {insert}) != insert;
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

  /// Those that see a key.
  std::vector<std::size_t> queries_of(std::size_t j) {
    std::vector<std::size_t> queries;
    for (std::size_t i = 0; i < parts_.tokens_; ++i)
      if (is_early(i, j)) queries.push_back(i);
    return queries;
  }

  /// Whether a key is a token: of the source, or by mistake of the target there.
  bool is_token(std::size_t b, std::size_t j) {
    const bool of_target =
        crosses_ &&
        sites_.any("whose mask of the keys", {MutationOperator::other}) == MutationOperator::other;
    if (of_target) return parts_.valid_[b * parts_.tokens_ + std::min(j, parts_.tokens_ - 1)];
    return valid_[b * keys_ + j];
  }

  /// The scores of a query, in the place of which their weights come.
  void softmax(std::size_t b, std::size_t h, std::size_t i) {
    const bool over_queries =
        !crosses_ &&
        sites_.any("axis of the softmax", {MutationOperator::other}) == MutationOperator::other;
    std::vector<std::size_t> counted, all;
    for (std::size_t j = 0; j < keys_; ++j) {
      all.push_back(over_queries ? weight_at(b, h, j, i) : weight_at(b, h, i, j));
      if (!is_early(i, j)) continue;
      if (sites_.mask("mask of the keys", is_token(b, j))) counted.push_back(all.back());
    }
    Numbers<T> scores;
    for (const std::size_t at : all) scores.push_back(weights_[at]);
    for (const std::size_t at : all) weights_[at] = T(0);
    if (counted.empty()) return;
    T largest = scores[counted[0] == all[0] ? 0 : index_of(all, counted[0])];
    for (const std::size_t at : counted) largest = std::max(largest, scores[index_of(all, at)]);
    const T sum = a_.sum("sum of the softmax", counted, [&](std::size_t at) {
      return exp_of(scores[index_of(all, at)] - largest);
    });
    for (const std::size_t at : counted) {
      const T e = exp_of(scores[index_of(all, at)] - largest);
      const bool whole = sites_.any("division by the sum of the softmax",
                                    {MutationOperator::drop}) == MutationOperator::drop;
      weights_[at] = whole ? e : a_.over(e, sum);
    }
  }
  static std::size_t index_of(const std::vector<std::size_t>& all, std::size_t at) {
    return static_cast<std::size_t>(std::ranges::find(all, at) - all.begin());
  }

  /// g_ij = w_ij (gw_ij - sum_j gw_ij w_ij)
  Numbers<T> softmax_backward(const Numbers<T>& grad_context) {
    Numbers<T> of_weights(weights_.size());
    for_each_score([&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      of_weights[weight_at(b, h, i, j)] = a_.sum("sum of the gradient by the weights of attention",
                                                 first_indices(d_k()), [&](std::size_t c) {
                                                   return grad_context[context_at(b, h, i, c)] *
                                                          at(projected_, kValues, b, h, j, c);
                                                 });
    });
    of_weights = parts_.dropped(role_ + ".weights", of_weights, true);
    const Numbers<T>& w = of_both("weights after dropout in the backward of the softmax");
    Numbers<T> grad(weights_.size());
    for_each_score([&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      const T mean =
          a_.sum("sum in the backward of the softmax", first_indices(keys_), [&](std::size_t k) {
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
  bool crosses_;
  Sites of_cross_;
  Sites& sites_;
  PlainArithmetic<T> a_;
  std::string role_;
  std::size_t heads_, width_, keys_;
  std::vector<bool> valid_;
  PlainMap query_map_, joint_map_, out_map_;
  Numbers<T> memory_, weights_, dropped_, context_;
  Projections projected_;
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

/// The sublayers of a layer in plain loops, post or pre; `place` begins the names of its
/// parameters.
template <class T>
class PlainSublayers {
 protected:
  /// A sublayer with its norm and its residual.
  struct Sublayer {
    const char *norm, *dropout;
    const char *residual, *backward;
    Numbers<T> taken = {}, normed = {};  ///< what the sublayer and the norm took
  };

  PlainSublayers(PlainParts<T>& parts, std::string place)
      : parts_(parts), sites_(parts.sites_), place_(std::move(place)) {
    post_ = (parts.in_.config.placement == model::NormPlacement::post) !=
            (sites_.any("place of the norm", {MutationOperator::other}) == MutationOperator::other);
  }

  void may_exchange(const char* site, Sublayer& a, Sublayer& b) {
    if (sites_.any(site, {MutationOperator::other}) == MutationOperator::other)
      std::swap(a.norm, b.norm);
  }

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

  PlainParts<T>& parts_;
  Sites& sites_;
  std::string place_;

 private:
  /// dropout(y) + x
  Numbers<T> residual(const Sublayer& own, Numbers<T> y, const Numbers<T>& x) {
    const bool late =
        parts_.drops() && sites_.any("dropout over the residual", {MutationOperator::insert}) ==
                              MutationOperator::insert;
    if (late) return parts_.dropped(own.dropout, sum_of(std::move(y), x, own.residual));
    return sum_of(parts_.dropped(own.dropout, std::move(y)), x, own.residual);
  }

  Numbers<T> sum_of(Numbers<T> sum, const Numbers<T>& residual, const char* site) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += sites_.term(site, residual[i]);
    return sum;
  }

  bool post_ = true;
};

/// One layer of an encoder.
template <class T>
class PlainEncoderLayer : PlainSublayers<T> {
 public:
  PlainEncoderLayer(PlainParts<T>& parts, std::string place)
      : PlainSublayers<T>(parts, std::move(place)),
        attention_(parts, this->place_, "attention"),
        feed_forward_(parts, this->place_) {
    this->may_exchange("norm1 and norm2", attention_site_, feed_forward_site_);
  }

  Numbers<T> forward(const Numbers<T>& x) {
    const auto attend = [&](const Numbers<T>& v) { return attention_.forward(v); };
    const auto feed = [&](const Numbers<T>& v) { return feed_forward_.forward(v); };
    return this->sublayer(feed_forward_site_, this->sublayer(attention_site_, x, attend), feed);
  }

  const Numbers<T>& weights() const { return attention_.weights(); }

  Numbers<T> backward(const Numbers<T>& dy, NamedNumbers<T>& gradients) {
    const auto fed = [&](const Numbers<T>& g, const Numbers<T>& v) {
      return feed_forward_.backward(g, v, gradients);
    };
    const auto attended = [&](const Numbers<T>& g, const Numbers<T>& v) {
      return attention_.backward(g, v, gradients);
    };
    const Numbers<T> grad_h = this->sublayer_backward(feed_forward_site_, dy, fed, gradients);
    return this->sublayer_backward(attention_site_, grad_h, attended, gradients);
  }

 private:
  using Sublayer = typename PlainSublayers<T>::Sublayer;

  PlainAttention<T> attention_;
  PlainFeedForward<T> feed_forward_;
  Sublayer attention_site_{"norm1", "attention.y", "residual of attention",
                           "residual of attention in the backward"};
  Sublayer feed_forward_site_{"norm2", "feed_forward.y", "residual of the feed-forward",
                              "residual of the feed-forward in the backward"};
};

/// One layer of a decoder, with a memory of the source.
template <class T>
class PlainDecoderLayer : PlainSublayers<T> {
 public:
  PlainDecoderLayer(PlainParts<T>& parts, std::string place, const PlainSource& source)
      : PlainSublayers<T>(parts, std::move(place)),
        self_attention_(parts, this->place_, "self_attention"),
        cross_attention_(parts, this->place_, "cross_attention", &source),
        feed_forward_(parts, this->place_) {
    this->may_exchange("norm1 and norm2", self_site_, cross_site_);
    this->may_exchange("norm2 and norm3", cross_site_, feed_forward_site_);
  }

  Numbers<T> forward(const Numbers<T>& x, const Numbers<T>& memory) {
    const auto attend = [&](const Numbers<T>& v) { return self_attention_.forward(v); };
    const auto cross = [&](const Numbers<T>& v) { return cross_attention_.forward(v, memory); };
    const auto feed = [&](const Numbers<T>& v) { return feed_forward_.forward(v); };
    const Numbers<T> h = this->sublayer(self_site_, x, attend);
    return this->sublayer(feed_forward_site_, this->sublayer(cross_site_, h, cross), feed);
  }

  const Numbers<T>& self_weights() const { return self_attention_.weights(); }
  const Numbers<T>& cross_weights() const { return cross_attention_.weights(); }

  /// The gradient by x; that by the memory is one of `gradients`.
  Numbers<T> backward(const Numbers<T>& dy, NamedNumbers<T>& gradients) {
    const auto back = [&](auto& sublayer) {
      return [&](const Numbers<T>& g, const Numbers<T>& v) {
        return sublayer.backward(g, v, gradients);
      };
    };
    Numbers<T> grad =
        this->sublayer_backward(feed_forward_site_, dy, back(feed_forward_), gradients);
    grad = this->sublayer_backward(cross_site_, grad, back(cross_attention_), gradients);
    return this->sublayer_backward(self_site_, grad, back(self_attention_), gradients);
  }

 private:
  using Sublayer = typename PlainSublayers<T>::Sublayer;

  PlainAttention<T> self_attention_, cross_attention_;
  PlainFeedForward<T> feed_forward_;
  Sublayer self_site_{"norm1", "self_attention.y", "residual of self-attention",
                      "residual of self-attention in the backward"};
  Sublayer cross_site_{"norm2", "cross_attention.y", "residual of cross-attention",
                       "residual of cross-attention in the backward"};
  Sublayer feed_forward_site_{"norm3", "feed_forward.y", "residual of the feed-forward",
                              "residual of the feed-forward in the backward"};
};

}  // namespace normproof::verification::golden::mutants
