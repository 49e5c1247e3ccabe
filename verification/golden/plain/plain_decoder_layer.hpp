#pragma once

#include <string>
#include <utility>

#include "verification/golden/plain/plain_encoder_layer.hpp"

namespace normproof::verification::golden::plain {

/// One decoder layer. Its cross-attention attends to the memory, the output of the encoder.
template <class T>
class PlainDecoderLayer : PlainSublayers<T> {
 public:
  PlainDecoderLayer(PlainEncoderContext<T>& parts, std::string place, const PlainSourceMask& source)
      : PlainSublayers<T>(parts, std::move(place)),
        self_attention_(parts, this->place_, "self_attention"),
        cross_attention_(parts, this->place_, "cross_attention", &source),
        feed_forward_(parts, this->place_) {
    this->offer_sublayer_exchange("norm1 and norm2", self_site_, cross_site_);
    this->offer_sublayer_exchange("norm2 and norm3", cross_site_, feed_forward_site_);
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

  /// Returns the gradient with respect to x. The gradient with respect to the memory is stored in
  /// `gradients`.
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

}  // namespace normproof::verification::golden::plain
