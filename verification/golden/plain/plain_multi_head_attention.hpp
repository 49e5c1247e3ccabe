#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_encoder_parts.hpp"

namespace normproof::verification::golden::plain {

/// The source positions to which a target position attends in cross-attention.
struct PlainSourceMask {
  std::size_t length = 0;
  std::vector<bool> valid;
};

/// Multi-head attention, forward and backward, written with simple loops. It is self-attention, or
/// cross-attention to the memory of a source. The names of the sites for injected errors have the
/// prefix "cross_attention: " in cross-attention.
template <class T>
class PlainAttention {
 public:
  /// `role` is the name of the sublayer: "attention" in an encoder, "self_attention" or
  /// "cross_attention" in a decoder. The names of its parameters begin with `place + role`.
  PlainAttention(PlainEncoderContext<T>& parts, const std::string& place, std::string role,
                 const PlainSourceMask* source = nullptr)
      : parts_(parts),
        crosses_(source != nullptr),
        cross_sites_(parts.sites_.part(kCrossPrefix)),
        sites_(crosses_ ? cross_sites_ : parts.sites_),
        a_(parts.a_.style(), sites_),
        role_(std::move(role)),
        heads_(parts.in_.config.num_heads),
        width_(parts.in_.config.d_model),
        keys_(crosses_ ? source->length : parts.tokens_),
        valid_(crosses_ ? source->valid : parts.valid_),
        query_map_(make_map(place, "query", 1)),
        joint_map_(crosses_ ? make_map(place, "memory", 2) : make_map(place, "in", 3)),
        output_map(make_map(place, "out", 1)) {}
  PlainAttention(const PlainAttention&) = delete;
  PlainAttention& operator=(const PlainAttention&) = delete;

  /// Returns the output rows. `memory` is the output of the encoder. Only cross-attention needs it.
  Numbers<T> forward(const Numbers<T>& x, const Numbers<T>& memory = {}) {
    if (crosses_) {
      memory_ = choose_memory_rows(memory, x);
      projected_.queries = parts_.linear(query_map_, x);
    }
    projected_.joint = parts_.linear(joint_map_, crosses_ ? memory_ : x);
    const std::size_t rows = parts_.samples_ * heads_ * parts_.tokens_;
    weights_.assign(rows * keys_, T(0));
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = score(k);
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < parts_.tokens_; ++i) softmax(b, h, i);
    dropped_ = parts_.apply_dropout(role_ + ".weights", weights_);
    context_.assign(x.size(), T(0));
    for_each_value(parts_.tokens_, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
      context_[context_at(b, h, i, c)] =
          a_.sum("sum of the context", indices_below(keys_), [&](std::size_t j) {
            return dropped_[weight_at(b, h, i, j)] * at(projected_, kValues, b, h, j, c);
          });
    });
    offer_mutations();
    return parts_.linear(output_map, context_);
  }

  const Numbers<T>& weights() const { return weights_; }

  /// Returns the gradient with respect to x. The gradient with respect to the memory is stored in
  /// `gradients`.
  Numbers<T> backward(const Numbers<T>& dy, const Numbers<T>& x, NamedNumbers<T>& gradients) {
    const Numbers<T> grad_context = parts_.linear_backward(output_map, dy, context_, gradients);
    const Numbers<T> grad_scores = softmax_backward(grad_context);
    const T scale = sites_.factor("1/sqrt(d_k) in the backward", score_scale());
    Projections grad{Numbers<T>(projected_.queries.size(), T(0)),
                     Numbers<T>(projected_.joint.size(), T(0))};
    const Numbers<T>& used =
        dropout_weights("weights before dropout in the gradient by the values");
    const std::vector<std::size_t> queries = indices_below(parts_.tokens_);
    for_each_value(parts_.tokens_, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
      at(grad, kQueries, b, h, i, c) =
          scale *
          a_.sum("sum of the gradient by the queries", indices_below(keys_), [&](std::size_t j) {
            return grad_scores[weight_at(b, h, i, j)] * at(projected_, kKeys, b, h, j, c);
          });
    });
    for_each_value(keys_, [&](std::size_t b, std::size_t h, std::size_t j, std::size_t c) {
      at(grad, kKeys, b, h, j, c) =
          scale * a_.sum("sum of the gradient by the keys", list_queries_that_see_key(j),
                         [&](std::size_t i) {
                           return grad_scores[weight_at(b, h, i, j)] *
                                  at(projected_, kQueries, b, h, i, c);
                         });
      at(grad, kValues, b, h, j, c) =
          a_.sum("sum of the gradient by the values", queries, [&](std::size_t i) {
            return used[weight_at(b, h, i, j)] * grad_context[context_at(b, h, i, c)];
          });
    });
    if (crosses_) memory_backward(grad.joint, gradients);
    offer_mutations();
    return crosses_ ? parts_.linear_backward(query_map_, grad.queries, x, gradients)
                    : parts_.linear_backward(joint_map_, grad.joint, x, gradients);
  }

 private:
  static constexpr const char* kCrossPrefix = "cross_attention: ";
  enum Part : std::size_t { kQueries, kKeys, kValues };

  /// The projected rows. In self-attention, `joint` contains queries, keys and values, and
  /// `queries` is empty. In cross-attention, `joint` contains keys and values, and `queries`
  /// contains the queries.
  struct Projections {
    Numbers<T> queries, joint;
  };

  PlainLinearMap make_map(const std::string& place, const char* name, std::size_t parts) const {
    const std::string own = role_ + "." + name;
    return {own, place + own, width_, parts * width_};
  }
  void offer_mutations() {
    if (crosses_) parts_.offer_mutations(kCrossPrefix, cross_sites_);
  }

  /// Returns the rows from which keys and values are computed. These are the rows of the memory,
  /// unless an error is injected.
  Numbers<T> choose_memory_rows(const Numbers<T>& memory, const Numbers<T>& x) {
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

  /// Stores the gradient with respect to the memory. This gradient is the sum of the contributions
  /// of keys and values.
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
  T score_scale() {
    const bool whole =
        sites_.any("d_k and d_model", {MutationOperator::other}) == MutationOperator::other;
    return 1 / adl_sqrt(to_scalar<T>(whole ? width_ : d_k()));
  }

  /// Returns the feature index of component c of head h. The features of a head are contiguous. An
  /// injected error can interleave the features of the heads.
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

  /// Returns the attention weights before dropout if `site` begins with "weights after", and the
  /// weights after dropout otherwise. If an error is injected at `site`, the weights before and
  /// after dropout are exchanged.
  const Numbers<T>& dropout_weights(const char* site) {
    const bool before = std::string_view(site).starts_with("weights after");
    const Numbers<T>& right = before ? weights_ : dropped_;
    if (!parts_.has_dropout()) return right;
    return sites_.pick(site, right, before ? dropped_ : weights_);
  }

  T score(std::size_t k) {
    const std::size_t j = k % keys_, i = k / keys_ % parts_.tokens_,
                      h = k / (parts_.tokens_ * keys_) % heads_,
                      b = k / (parts_.tokens_ * keys_ * heads_);
    const T product = a_.sum("sum of a score", indices_below(d_k()), [&](std::size_t c) {
      return at(projected_, kQueries, b, h, i, c) * at(projected_, kKeys, b, h, j, c);
    });
    if (a_.style().divide) return product / adl_sqrt(to_scalar<T>(d_k()));
    return product * sites_.factor("1/sqrt(d_k)", score_scale());
  }

  /// Whether the causal mask lets query i attend to key j. Without a causal mask the result is true
  /// unless an error is injected.
  bool causal_mask_allows(std::size_t i, std::size_t j) {
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
      case transposed:  // error: only later keys are visible
        return j >= i;
      default:
        return j <= i;
    }
  }

  /// Returns the queries that the causal mask lets attend to key j.
  std::vector<std::size_t> list_queries_that_see_key(std::size_t j) {
    std::vector<std::size_t> queries;
    for (std::size_t i = 0; i < parts_.tokens_; ++i)
      if (causal_mask_allows(i, j)) queries.push_back(i);
    return queries;
  }

  /// Whether key j is a token of the source and not padding. An injected error can use the mask of
  /// the target instead of the mask of the source.
  bool is_token(std::size_t b, std::size_t j) {
    const bool of_target =
        crosses_ && sites_.any("side of the mask of the keys", {MutationOperator::other}) ==
                        MutationOperator::other;
    if (of_target) return parts_.valid_[b * parts_.tokens_ + std::min(j, parts_.tokens_ - 1)];
    return valid_[b * keys_ + j];
  }

  /// Replaces the scores of one query by its attention weights.
  void softmax(std::size_t b, std::size_t h, std::size_t i) {
    const bool over_queries =
        !crosses_ &&
        sites_.any("axis of the softmax", {MutationOperator::other}) == MutationOperator::other;
    std::vector<std::size_t> counted, all;
    for (std::size_t j = 0; j < keys_; ++j) {
      all.push_back(over_queries ? weight_at(b, h, j, i) : weight_at(b, h, i, j));
      if (!causal_mask_allows(i, j)) continue;
      if (sites_.mask("mask of the keys", is_token(b, j))) counted.push_back(all.back());
    }
    Numbers<T> scores;
    for (const std::size_t at : all) scores.push_back(weights_[at]);
    for (const std::size_t at : all) weights_[at] = T(0);
    if (counted.empty()) return;
    T largest = scores[counted[0] == all[0] ? 0 : find_index(all, counted[0])];
    for (const std::size_t at : counted) largest = std::max(largest, scores[find_index(all, at)]);
    const T sum = a_.sum("sum of the softmax", counted, [&](std::size_t at) {
      return adl_exp(scores[find_index(all, at)] - largest);
    });
    for (const std::size_t at : counted) {
      const T e = adl_exp(scores[find_index(all, at)] - largest);
      const bool whole = sites_.any("division by the sum of the softmax",
                                    {MutationOperator::drop}) == MutationOperator::drop;
      weights_[at] = whole ? e : a_.over(e, sum);
    }
  }
  static std::size_t find_index(const std::vector<std::size_t>& all, std::size_t at) {
    return static_cast<std::size_t>(std::ranges::find(all, at) - all.begin());
  }

  /// Returns the gradient of the scores. For score ij it is `w_ij (gw_ij - sum_k gw_ik w_ik)`,
  /// where w are the attention weights and gw are their gradients.
  Numbers<T> softmax_backward(const Numbers<T>& grad_context) {
    Numbers<T> of_weights(weights_.size());
    for_each_score([&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      of_weights[weight_at(b, h, i, j)] = a_.sum("sum of the gradient by the weights of attention",
                                                 indices_below(d_k()), [&](std::size_t c) {
                                                   return grad_context[context_at(b, h, i, c)] *
                                                          at(projected_, kValues, b, h, j, c);
                                                 });
    });
    of_weights = parts_.apply_dropout(role_ + ".weights", of_weights, true);
    const Numbers<T>& w = dropout_weights("weights after dropout in the backward of the softmax");
    Numbers<T> grad(weights_.size());
    const std::vector<std::size_t> keys = indices_below(keys_);
    T mean = 0;
    for_each_score([&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      if (j == 0)
        mean = a_.sum("sum in the backward of the softmax", keys, [&](std::size_t k) {
          const std::size_t at = weight_at(b, h, i, k);
          return of_weights[at] * w[at];
        });
      const std::size_t at = weight_at(b, h, i, j);
      grad[at] = sites_.factor("weight in the backward of the softmax", w[at]) *
                 (of_weights[at] - sites_.term("sum in the backward of the softmax", mean));
    });
    return grad;
  }

  PlainEncoderContext<T>& parts_;
  bool crosses_;
  Sites cross_sites_;
  Sites& sites_;
  PlainArithmetic<T> a_;
  std::string role_;
  std::size_t heads_, width_, keys_;
  std::vector<bool> valid_;
  PlainLinearMap query_map_, joint_map_, output_map;
  Numbers<T> memory_, weights_, dropped_, context_;
  Projections projected_;
};

}  // namespace normproof::verification::golden::plain
