#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_encoder_parts.hpp"

namespace normproof::verification::golden::plain {

/// The embedding of tokens with their positions, and the gradient of its matrix, written with
/// simple loops.
template <class T>
class PlainEmbedding {
 public:
  /// `name` is the name of the embedding matrix [V,D]; `words` is V, the size of the vocabulary.
  PlainEmbedding(PlainEncoderContext<T>& parts, std::string name, std::size_t words)
      : parts_(parts),
        sites_(parts.sites_),
        name_(std::move(name)),
        words_(words),
        width_(parts.in_.config.d_model) {}

  /// Returns the embedded tokens. `first` is the position of the first token of each sentence.
  Numbers<T> forward(const ref::model::Tokens& tokens, std::size_t first = 0) {
    const Numbers<T>& weight = parts_.given(name_);
    constexpr const char* kFactor = "factor sqrt(D) of the embedding";
    T root = adl_sqrt(to_scalar<T>(width_));
    if (scaled()) root = sites_.constant(kFactor, root);
    const T factor = scale(kFactor, root);
    const bool positions = parts_.in_.config.positions;
    const bool on_positions = positions && scaled() &&
                              sites_.any("sqrt(D) on the position", {MutationOperator::insert}) ==
                                  MutationOperator::insert;
    Numbers<T> x(tokens.ids.size() * width_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto id = static_cast<std::size_t>(tokens.ids[i / width_]);
      x[i] = factor * weight[id * width_ + i % width_];
      if (!positions) continue;
      const T added = sites_.term(
          "position", static_cast<T>(position(first + i / width_ % tokens.seq_len, i % width_)));
      x[i] += on_positions ? factor * added : added;
    }
    return x;
  }

  void backward(const ref::model::Tokens& tokens, const Numbers<T>& grad,
                NamedNumbers<T>& gradients) {
    Numbers<T> whole(words_ * width_, T(0));
    const T factor =
        scale("factor sqrt(D) of grad_embedding.weight", adl_sqrt(to_scalar<T>(width_)));
    const bool last = sites_.any("tokens that occur several times", {MutationOperator::drop}) ==
                      MutationOperator::drop;
    for (std::size_t id = 0; id < words_; ++id) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < tokens.ids.size(); ++i)
        if (static_cast<std::size_t>(tokens.ids[i]) == id) places.push_back(i);
      if (last && places.size() > 1) places.erase(places.begin(), places.end() - 1);
      for (std::size_t d = 0; d < width_; ++d)
        whole[id * width_ + d] =
            parts_.a_.sum("sum of grad_embedding.weight", places,
                          [&](std::size_t i) { return factor * grad[i * width_ + d]; });
    }
    gradients["grad_" + name_] = std::move(whole);
  }

 private:
  bool scaled() const { return parts_.in_.config.scaled_embedding; }

  /// Returns the factor of an embedding or of its gradient. It is `root` for a scaled embedding and
  /// 1 otherwise, unless an error is injected at the site.
  T scale(const char* site, T root) {
    if (scaled()) return sites_.factor(site, root);
    return sites_.any(site, {MutationOperator::insert}) == MutationOperator::insert ? root : T(1);
  }

  /// Returns the positional encoding of position t in feature d: `sin(t w)` for even d and
  /// `cos(t w)` for odd d, with `w = 10000^(-2i/D)` and i = d / 2, rounded down.
  double position(std::size_t t, std::size_t d) {
    const double number = sites_.count("number of the position", static_cast<double>(t));
    const bool turned =
        sites_.any("sine and cosine", {MutationOperator::other}) == MutationOperator::other;
    const bool every = sites_.any("exponent of the frequency", {MutationOperator::other}) ==
                       MutationOperator::other;  // d/D instead of 2i/D
    const double exponent = static_cast<double>(every ? d : d / 2 * 2);
    const double angle = number * std::pow(10000.0, -exponent / static_cast<double>(width_));
    return (d % 2 == 0) != turned ? std::sin(angle) : std::cos(angle);
  }

  PlainEncoderContext<T>& parts_;
  Sites& sites_;
  std::string name_;
  std::size_t words_, width_;
};

}  // namespace normproof::verification::golden::plain
