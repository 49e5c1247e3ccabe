#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_cache.hpp"
#include "verification/golden/plain/plain_encoder_layer.hpp"
#include "verification/golden/plain/plain_vocabulary.hpp"

namespace normproof::verification::golden::plain {

/// Attention of one query to rows of keys and values, written with simple loops.
template <class T>
class PlainQueryAttention {
 public:
  /// `masked` says whether some rows may be padding. It is true if the rows belong to the memory
  /// (the output of the encoder). Errors in the mask of the memory can be injected separately.
  PlainQueryAttention(PlainEncoderContext<T>& parts, Sites& sites, bool masked)
      : sites_(sites),
        a_(parts.a_.style(), sites),
        masked_(masked),
        heads_(parts.in_.config.num_heads),
        width_(parts.in_.config.d_model) {}

  /// Returns the context [D] of a query. The context is the mean of the values, weighted by the
  /// attention weights. The query attends to row `first + j` if `counts[j]` is true.
  Numbers<T> attend(const Numbers<T>& query, const PlainKeysValues<T>& to, std::size_t first,
                    const std::vector<bool>& counts) {
    Numbers<T> context(width_, T(0));
    for (std::size_t h = 0; h < heads_; ++h) {
      std::vector<std::size_t> rows;
      for (std::size_t j = 0; j < counts.size(); ++j)
        if (masked_ ? sites_.mask("mask of the keys", counts[j]) : counts[j])
          rows.push_back(first + j);
      if (rows.empty()) continue;
      Numbers<T> scores;
      for (const std::size_t j : rows) scores.push_back(score(query, to.keys, h, j));
      const T largest = *std::max_element(scores.begin(), scores.end());
      const std::vector<std::size_t> numbers = indices_below(rows.size());
      const T sum = a_.sum("sum of the softmax", numbers,
                           [&](std::size_t k) { return adl_exp(scores[k] - largest); });
      const bool whole = sites_.any("division by the sum of the softmax",
                                    {MutationOperator::drop}) == MutationOperator::drop;
      for (std::size_t c = 0; c < width_ / heads_; ++c)
        context[feature(h, c)] = a_.sum("sum of the context", numbers, [&](std::size_t k) {
          const T e = adl_exp(scores[k] - largest);
          return (whole ? e : a_.over(e, sum)) * to.values[rows[k] * width_ + feature(h, c)];
        });
    }
    return context;
  }

 private:
  /// Returns the feature index of component c of head h. The features of a head are contiguous. An
  /// injected error can interleave the features of the heads.
  std::size_t feature(std::size_t h, std::size_t c) {
    const bool in_turn =
        sites_.any("features of a head", {MutationOperator::other}) == MutationOperator::other;
    return in_turn ? c * heads_ + h : h * (width_ / heads_) + c;
  }

  T score(const Numbers<T>& query, const Numbers<T>& keys, std::size_t h, std::size_t j) {
    const std::size_t d_k = width_ / heads_;
    const T product = a_.sum("sum of a score", indices_below(d_k), [&](std::size_t c) {
      return query[feature(h, c)] * keys[j * width_ + feature(h, c)];
    });
    if (a_.style().divide) return product / adl_sqrt(to_scalar<T>(d_k));
    const bool of_model =
        sites_.any("d_k and d_model", {MutationOperator::other}) == MutationOperator::other;
    return product *
           sites_.factor("1/sqrt(d_k)", 1 / adl_sqrt(to_scalar<T>(of_model ? width_ : d_k)));
  }

  Sites& sites_;
  PlainArithmetic<T> a_;
  bool masked_;
  std::size_t heads_, width_;
};

/// A decoder layer that processes the new tokens of a sentence one after the other.
template <class T>
class PlainDecodingLayer : PlainSublayers<T> {
 public:
  PlainDecodingLayer(PlainEncoderContext<T>& parts, std::string place)
      : PlainSublayers<T>(parts, std::move(place)),
        cross_sites_(this->sites_.part(kCrossPrefix)),
        self_(parts, this->sites_, false),
        cross_(parts, cross_sites_, true),
        feed_forward_(parts, this->place_),
        width_(parts.in_.config.d_model),
        input_map(make_map("self_attention.in", 3)),
        self_out_(make_map("self_attention.out", 1)),
        query_map_(make_map("cross_attention.query", 1)),
        memory_map_(make_map("cross_attention.memory", 2)),
        cross_out_(make_map("cross_attention.out", 1)),
        cache_(this->sites_, parts.in_.config.num_heads, width_) {
    this->offer_sublayer_exchange("norm1 and norm2", self_site_, cross_site_);
    this->offer_sublayer_exchange("norm2 and norm3", cross_site_, feed_forward_site_);
  }

  /// Starts a sentence. `past` contains the rows that are in the cache already, and `tokens` is the
  /// number of tokens that will be appended. `memory` is the output of the encoder.
  void begin(PlainKeysValues<T> past, std::size_t tokens, const Numbers<T>& memory,
             std::vector<bool> memory_valid) {
    tokens_ = tokens;
    cache_.begin(std::move(past), tokens);
    memory_rows_ = split_keys_and_values(this->parts_.linear(memory_map_, memory), 0, 2);
    memory_valid_ = std::move(memory_valid);
  }

  /// Processes rows [T,D] with one row per new token, and returns the output rows.
  Numbers<T> forward(const Numbers<T>& x) {
    const auto attend = [&](const Numbers<T>& v) { return attend_to_itself(v); };
    const auto cross = [&](const Numbers<T>& v) { return attend_to_memory(v); };
    const auto feed = [&](const Numbers<T>& v) { return feed_forward_.forward(v); };
    const Numbers<T> h = this->sublayer(self_site_, x, attend);
    return this->sublayer(feed_forward_site_, this->sublayer(cross_site_, h, cross), feed);
  }

  /// Returns the rows to keep in the cache after all tokens have been appended.
  PlainKeysValues<T> cache() { return cache_.kept(); }

 private:
  using Sublayer = typename PlainSublayers<T>::Sublayer;
  static constexpr const char* kCrossPrefix = "cross_attention: ";

  PlainLinearMap make_map(const std::string& name, std::size_t parts) const {
    return {name, this->place_ + name, width_, parts * width_};
  }

  /// Splits rows into keys and values. A row has `parts` parts of D features; the keys are part
  /// number `first`, and the values are the next part.
  PlainKeysValues<T> split_keys_and_values(const Numbers<T>& rows, std::size_t first,
                                           std::size_t parts) {
    const bool turned =
        this->sites_.any(parts == 2 ? "cross_attention: keys and values" : "keys and values",
                         {MutationOperator::other}) == MutationOperator::other;
    PlainKeysValues<T> own;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t part = i % (parts * width_) / width_;
      if (part < first) continue;
      ((part == first) != turned ? own.keys : own.values).push_back(rows[i]);
    }
    return own;
  }

  Numbers<T> row_of(const Numbers<T>& rows, std::size_t row, std::size_t width) const {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {begin, begin + static_cast<std::ptrdiff_t>(width_)};
  }

  Numbers<T> attend_to_itself(const Numbers<T>& x) {
    const Numbers<T> qkv = this->parts_.linear(input_map, x);
    const PlainKeysValues<T> fresh = split_keys_and_values(qkv, 1, 3);
    Numbers<T> contexts;
    std::size_t written = 0;
    for (std::size_t t = 0; t < tokens_; ++t) {
      for (; written < cache_.rows_written_before(t); ++written) cache_.write(fresh, written);
      Numbers<T> query = row_of(qkv, t, 3 * width_);
      for (T& feature : query) feature *= cache_.query_factor();
      const auto [first, end] = cache_.visible_rows(t);
      const Numbers<T> own =
          self_.attend(query, cache_.read(), first, std::vector<bool>(end - first, true));
      contexts.insert(contexts.end(), own.begin(), own.end());
    }
    for (; written < tokens_; ++written) cache_.write(fresh, written);
    return this->parts_.linear(self_out_, contexts);
  }

  Numbers<T> attend_to_memory(const Numbers<T>& x) {
    const Numbers<T> queries = this->parts_.linear(query_map_, x);
    const bool own =
        cross_sites_.any("memory", {MutationOperator::other}) == MutationOperator::other;
    Numbers<T> contexts;
    for (std::size_t t = 0; t < tokens_; ++t) {
      const Numbers<T> query = row_of(queries, t, width_);
      const Numbers<T> context =
          own ? cross_.attend(query,
                              split_keys_and_values(
                                  this->parts_.linear(memory_map_, row_of(x, t, width_)), 0, 2),
                              0, {true})
              : cross_.attend(query, memory_rows_, 0, memory_valid_);
      contexts.insert(contexts.end(), context.begin(), context.end());
    }
    this->parts_.offer_mutations(kCrossPrefix, cross_sites_);
    return this->parts_.linear(cross_out_, contexts);
  }

  Sites cross_sites_;
  PlainQueryAttention<T> self_, cross_;
  PlainFeedForward<T> feed_forward_;
  std::size_t width_;
  PlainLinearMap input_map, self_out_, query_map_, memory_map_, cross_out_;
  Sublayer self_site_{"norm1", "self_attention.y", "residual of self-attention", ""};
  Sublayer cross_site_{"norm2", "cross_attention.y", "residual of cross-attention", ""};
  Sublayer feed_forward_site_{"norm3", "feed_forward.y", "residual of the feed-forward", ""};
  PlainCache<T> cache_;
  PlainKeysValues<T> memory_rows_;
  std::vector<bool> memory_valid_;
  std::size_t tokens_ = 0;
};

/// The decoder in inference. It processes one sentence after the other.
template <class T>
class PlainDecoding {
 public:
  PlainDecoding(const ref::model::TransformerTensors& in, const Style& style, Sites& sites)
      : in_(in),
        side_(make_side_inputs(in, in.config.decoder, true, {}, "embedding.weight")),
        parts_(side_, style, sites),
        sites_(sites),
        width_(in.config.d_model) {
    parts_.set_rows(1, in.tokens.seq_len);
    for (std::size_t l = 0; l < side_.config.num_layers; ++l)
      layers_.emplace_back(parts_, fmt::format("layers.{}.", l));
    const auto* const past = in.tensors.find(past_name(0, "keys"));
    past_ = past == nullptr ? 0 : past->shape(1);
  }

  NamedOutputs<T> run() {
    for (std::size_t b = 0; b < in_.tokens.batch_size; ++b) {
      begin(b);
      append(b);
      for (std::size_t l = 0; l < layers_.size(); ++l) keep(l);
    }
    answer_.store_output("logits",
                         {in_.tokens.batch_size, in_.tokens.seq_len, in_.config.target_vocab_size},
                         logits_);
    return std::move(answer_);
  }

 private:
  static std::string past_name(std::size_t layer, const char* part) {
    return fmt::format("layers.{}.self_attention.past_{}", layer, part);
  }

  /// Returns the index of the sentence to use. It is b, unless an error is injected that uses the
  /// next sentence.
  std::size_t sentence(const char* site, std::size_t b) {
    const bool next = sites_.any(site, {MutationOperator::other}) == MutationOperator::other;
    return next ? (b + 1) % in_.tokens.batch_size : b;
  }

  Numbers<T> rows_of(const std::string& name, std::size_t b, std::size_t rows) const {
    const auto all = parts_.given(name).begin();
    const auto size = static_cast<std::ptrdiff_t>(rows * width_);
    const auto begin = all + static_cast<std::ptrdiff_t>(b) * size;
    return {begin, begin + size};
  }

  void begin(std::size_t b) {
    const std::size_t length = in_.tensors.at("memory").shape(1);
    const std::size_t of_memory = sentence("sentence of the memory", b);
    const std::size_t of_mask = sentence("sentence of the memory's mask", b);
    std::vector<bool> valid(length, true);
    for (std::size_t s = 0; ref::tensor::is_given(in_.source_valid) && s < length; ++s)
      valid[s] = in_.source_valid.data()[of_mask * length + s];
    const std::size_t of_past = past_ > 0 ? sentence("sentence of the cache", b) : b;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      PlainKeysValues<T> past;
      if (past_ > 0)
        past = {rows_of(past_name(l, "keys"), of_past, past_),
                rows_of(past_name(l, "values"), of_past, past_)};
      layers_[l].begin(std::move(past), in_.tokens.seq_len, rows_of("memory", of_memory, length),
                       valid);
    }
  }

  /// Processes the new tokens of a sentence and appends their logits to the output.
  void append(std::size_t b) {
    Numbers<T> x = embed(b);
    for (PlainDecodingLayer<T>& layer : layers_) x = layer.forward(x);
    x = PlainFinalNorm<T>(parts_, "final_norm").forward(x);
    const T factor = tied_head_factor<T>(sites_, in_.config);
    for (T& element : x) element *= factor;
    const Numbers<T> own = parts_.linear({"head", "head", width_, in_.config.target_vocab_size}, x);
    logits_.insert(logits_.end(), own.begin(), own.end());
  }

  Numbers<T> embed(std::size_t b) {
    using enum MutationOperator;
    PlainEmbedding<T> embedding(parts_, "embedding.weight", in_.config.target_vocab_size);
    const MutationOperator op = sites_.any("position of a token", {drop, reset});
    Numbers<T> x;
    for (std::size_t t = 0; t < in_.tokens.seq_len; ++t) {
      std::size_t position = past_ + t;
      if (op == drop) position = t;  // error: as if the cache were empty
      if (op == reset) position = 0;
      const std::int32_t token = in_.tokens.ids[b * in_.tokens.seq_len + t];
      const Numbers<T> own = embedding.forward({1, 1, {token}}, position);
      x.insert(x.end(), own.begin(), own.end());
    }
    return x;
  }

  void keep(std::size_t layer) {
    const PlainKeysValues<T> own = layers_[layer].cache();
    const auto join = [&](const char* part, const Numbers<T>& rows) {
      const std::string name = fmt::format("layers.{}.self_attention.{}", layer, part);
      Numbers<T> all = std::move(answer_.values[name]);
      all.insert(all.end(), rows.begin(), rows.end());
      answer_.store_output(name, {in_.tokens.batch_size, past_ + in_.tokens.seq_len, width_},
                           std::move(all));
    };
    join("keys", own.keys);
    join("values", own.values);
  }

  const ref::model::TransformerTensors& in_;
  ref::model::EncoderTensors side_;
  PlainEncoderContext<T> parts_;
  Sites& sites_;
  std::size_t width_, past_ = 0;
  std::deque<PlainDecodingLayer<T>> layers_;
  Numbers<T> logits_;
  NamedOutputs<T> answer_;
};

}  // namespace normproof::verification::golden::plain
