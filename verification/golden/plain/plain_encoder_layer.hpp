#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "verification/golden/plain/plain_feed_forward.hpp"
#include "verification/golden/plain/plain_multi_head_attention.hpp"

namespace normproof::verification::golden::plain {

/// Copies the parameter gradients and the state of a norm from `results` to `kept`. The prefix
/// `place` is added to their names.
template <class T>
void copy_norm_results(const std::string& place, const NamedNumbers<T>& results,
                       NamedNumbers<T>& kept) {
  constexpr std::string_view kState = "state ", kGradient = "grad_";
  for (const auto& [name, values] : results) {
    if (name.starts_with(kState)) kept[place + "." + name.substr(kState.size())] = values;
    if (name.starts_with(kGradient) && name != "grad_x")
      kept["grad_" + place + "." + name.substr(kGradient.size())] = values;
  }
}

/// The common part of encoder and decoder layers: sublayers with a norm before or after them,
/// written with simple loops. The names of all parameters begin with `place`.
template <class T>
class PlainSublayers {
 protected:
  /// One sublayer: the names of its norm, its dropout and its residual, and the inputs of its last
  /// forward pass.
  struct Sublayer {
    const char *norm, *dropout;
    const char *residual, *backward;
    Numbers<T> taken = {}, normed = {};  ///< inputs of the sublayer and of the norm
  };

  PlainSublayers(PlainEncoderContext<T>& parts, std::string place)
      : parts_(parts), sites_(parts.sites_), place_(std::move(place)) {
    post_ = (parts.in_.config.placement == model::NormPlacement::post) !=
            (sites_.any("place of the norm", {MutationOperator::other}) == MutationOperator::other);
  }

  void offer_sublayer_exchange(const char* site, Sublayer& a, Sublayer& b) {
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
      copy_norm_results(place_ + own.norm, results, gradients);
      return results.at("grad_x");
    };
    const auto through_sublayer = [&](const Numbers<T>& g) {
      return f(parts_.apply_dropout(own.dropout, g, true), own.taken);
    };
    if (!post_) return sum_of(through_norm(through_sublayer(dy)), dy, own.backward);
    const Numbers<T> grad = through_norm(dy);
    return sum_of(through_sublayer(grad), grad, own.backward);
  }

  PlainEncoderContext<T>& parts_;
  Sites& sites_;
  std::string place_;

 private:
  /// Returns `dropout(y) + x`.
  Numbers<T> residual(const Sublayer& own, Numbers<T> y, const Numbers<T>& x) {
    const bool late = parts_.has_dropout() &&
                      sites_.any("dropout over the residual", {MutationOperator::insert}) ==
                          MutationOperator::insert;
    if (late) return parts_.apply_dropout(own.dropout, sum_of(std::move(y), x, own.residual));
    return sum_of(parts_.apply_dropout(own.dropout, std::move(y)), x, own.residual);
  }

  Numbers<T> sum_of(Numbers<T> sum, const Numbers<T>& residual, const char* site) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += sites_.term(site, residual[i]);
    return sum;
  }

  bool post_ = true;
};

/// An encoder layer: self-attention and a feed-forward network.
template <class T>
class PlainEncoderLayer : PlainSublayers<T> {
 public:
  PlainEncoderLayer(PlainEncoderContext<T>& parts, std::string place)
      : PlainSublayers<T>(parts, std::move(place)),
        attention_(parts, this->place_, "attention"),
        feed_forward_(parts, this->place_) {
    this->offer_sublayer_exchange("norm1 and norm2", attention_site_, feed_forward_site_);
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

/// The norm after the last layer. Only a model whose norms are before the sublayers (placement
/// `pre`) has it. In other models, `forward` and `backward` return their argument.
template <class T>
class PlainFinalNorm {
 public:
  PlainFinalNorm(PlainEncoderContext<T>& parts, std::string place)
      : parts_(parts),
        place_(std::move(place)),
        pre_(parts.in_.config.placement == model::NormPlacement::pre),
        normed_(pre_ && parts.sites_.any("norm after the last layer", {MutationOperator::drop}) !=
                            MutationOperator::drop) {}

  Numbers<T> forward(const Numbers<T>& x) {
    taken_ = x;
    return normed_ ? parts_.norm(place_, x, {})["y"] : x;
  }

  Numbers<T> backward(const Numbers<T>& grad, NamedNumbers<T>& gradients) {
    if (!pre_) return grad;
    const NamedNumbers<T> results = parts_.norm(place_, taken_, grad);
    copy_norm_results(place_, results, gradients);
    return normed_ ? results.at("grad_x") : grad;
  }

 private:
  PlainEncoderContext<T>& parts_;
  std::string place_;
  bool pre_, normed_;
  Numbers<T> taken_;
};

}  // namespace normproof::verification::golden::plain
