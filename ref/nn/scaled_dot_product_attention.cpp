#include "ref/nn/scaled_dot_product_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/model/attention_shape.hpp"
#include "ref/nn/attention_core.hpp"
#include "ref/nn/last_column.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using model::AttentionShape;
using ops::MatrixView;
using tensor::shape_of;

constexpr std::size_t kScaleGrain = 16384;  // elements per range; does not affect the bits

/// One head of keys and values of one sample, and the heads of queries that read it. The keys are
/// one contiguous matrix, and so are the values and the queries.
struct KeyValueHead {
  const AttentionShape& all;
  std::size_t sample, head;

  std::size_t number() const { return sample * all.kv_heads + head; }
  std::size_t rows() const { return all.group.rows(); }

  template <class T>
  MatrixView<T> queries_shape(T* data, std::size_t columns) const {
    return ops::matrix(data + number() * rows() * columns, rows(), columns);
  }
  template <class T>
  AttentionOperands<T> operands(T* q, T* k, T* v) const {
    const std::size_t s = all.group.keys, d = all.features, e = all.value_features;
    return {queries_shape(q, d), ops::matrix(k + number() * s * d, s, d),
            ops::matrix(v + number() * s * e, s, e)};
  }
  tensor::Shape scores_shape() const { return {1, rows(), all.group.keys}; }

  /// Copies `own`, the part of a tensor that belongs to this head, into the whole tensor [B,H,T,S].
  /// If the part has a single column, the whole tensor is [B,H,T].
  template <class T>
  void copy_to_full_tensor(const Tensor<T>& own, Tensor<T>& whole) const {
    std::copy_n(own.data(), own.size(), whole.data() + number() * own.size());
  }
  template <class T>
  Tensor<T> copy_from_full_tensor(const Tensor<T>& whole) const {
    Tensor<T> own = tensor::empty_tensor<T>(scores_shape());
    std::copy_n(whole.data() + number() * own.size(), own.size(), own.data());
    return own;
  }

  /// Adds the bias to the scores of this head, in place.
  template <class T>
  void add_bias(const Tensor<T>& bias, Tensor<T>& scores) const {
    const std::size_t of_head = all.group.tokens * all.group.keys;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::size_t first = all.first_bias_index(sample, head * all.group.heads + i / of_head);
      scores.data()[i] = scores.data()[i] + bias.data()[first + i % of_head];
    }
  }

  /// Returns the scores of this head with the sinks [H] of its queries behind them.
  template <class T>
  Tensor<T> append_sinks(const Tensor<T>& scores, const Tensor<T>& sinks) const {
    return append_column(scores, [&](std::size_t row) {
      return sinks.data()[head * all.group.heads + row / all.group.tokens];
    });
  }
  /// Returns the weights of this head with those of the sinks, sink_weights [B,H,T], behind them.
  template <class T>
  Tensor<T> append_sink_weights(const Tensor<T>& weights, const Tensor<T>& sink_weights) const {
    return append_column(
        weights, [&](std::size_t row) { return sink_weights.data()[number() * rows() + row]; });
  }
};

/// Calls f(head) for all heads of keys, on the allowed number of threads. If f throws, the error
/// names the heads of queries.
template <class F>
void for_each_head(const AttentionShape& shape, F f) {
  const std::size_t count = shape.batch_size * shape.kv_heads;
  numeric::parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const KeyValueHead head{shape, i / shape.kv_heads, i % shape.kv_heads};
      try {
        f(head);
      } catch (const numeric::NotFiniteError& error) {
        numeric::ContractViolation violation = error.violation();
        violation.place = shape.describe_heads(head.sample, head.head);
        throw numeric::NotFiniteError(std::move(violation));
      }
    }
  });
}

/// Returns the shape of an optional tensor. If it is not given, the shape has no axes.
template <class T>
tensor::Shape optional_shape(const Tensor<T>& t) {
  return tensor::is_given(t) ? shape_of(t) : tensor::Shape{};
}

/// Divides logarithms by the logarithm of 2, if that is the requested base.
template <class T>
void change_base(model::LogSumExpBase base, Tensor<T>& logs) {
  if (base == model::LogSumExpBase::e) return;
  const T log_of_2 = numeric::log(T(2));
  for (T& log : logs) log = log / log_of_2;
}

template <class T>
T effective_scale(const model::AttentionOptions& options, std::size_t features) {
  return options.scale ? T(*options.scale) : attention_scale<T>(features);
}

template <class T>
Tensor<T> scaled_tensor(const Tensor<T>& t, const T& factor) {
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(t));
  numeric::parallel_for(t.size(), kScaleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) result.data()[i] = t.data()[i] * factor;
  });
  return result;
}

/// Returns a tensor [A,B,C] as [B, A C]: for each index b, its rows of length C.
template <class T>
Tensor<T> exchange_axes(const Tensor<T>& t, std::size_t a, std::size_t b, std::size_t c) {
  Tensor<T> result = tensor::empty_tensor<T>({b, a * c});
  for (std::size_t row = 0; row < a * b; ++row)
    std::copy_n(t.data() + row * c, c, result.data() + (row % b * a + row / b) * c);
  return result;
}

/// Returns the sums of the gradients [B,H,T,S] over the samples and heads that share an element of
/// the bias.
template <class T>
Tensor<T> sum_over_shared_elements(Tensor<T> terms, const AttentionShape& shape) {
  const std::size_t samples = shape.batch_size, heads = shape.heads(),
                    scores = shape.group.tokens * shape.group.keys;
  const bool all_samples = shape.bias[0] == 1, all_heads = shape.bias[1] == 1;
  if (all_samples && all_heads) {
    terms.reshape({samples * heads, scores});
    terms = ops::sum_columns(terms);
  } else if (all_samples) {
    terms.reshape({samples, heads * scores});
    terms = ops::sum_columns(terms);
  } else if (all_heads) {
    terms = ops::sum_columns(exchange_axes(terms, samples, heads, scores));
  }
  terms.reshape(shape.bias);
  return terms;
}

}  // namespace

template <numeric::Real T>
DotProductForward<T> scaled_dot_product_attention(const Tensor<T>& q, const Tensor<T>& k,
                                                  const Tensor<T>& v, const Mask& valid,
                                                  const model::AttentionOptions& options,
                                                  const ScoreInputs<T>& extra) {
  constexpr auto kName = "scaled_dot_product_attention";
  const AttentionShape shape =
      model::attention_shape(kName, shape_of(q), shape_of(k), shape_of(v), optional_shape(valid),
                             options, optional_shape(extra.sinks), optional_shape(extra.bias));
  const bool with_bias = tensor::is_given(extra.bias);
  const Mask& bias_visible = extra.bias_visible;
  if (tensor::is_given(bias_visible))
    tensor::check_shape(kName, "bias_visible", shape_of(bias_visible), shape.bias, Clause::C11);
  tensor::check_finite(kName, "q", q, Clause::C5);
  tensor::check_finite(kName, "k", k, Clause::C5);
  tensor::check_finite(kName, "v", v, Clause::C5);
  const bool with_sinks = tensor::is_given(extra.sinks);
  if (with_sinks) tensor::check_finite(kName, "sinks", extra.sinks, Clause::C5);
  if (with_bias) tensor::check_finite(kName, "bias", extra.bias, Clause::C5);
  DotProductForward<T> result;
  result.saved.queries = scaled_tensor(q, effective_scale<T>(options, shape.features));
  result.saved.weights = tensor::empty_tensor<T>(shape.scores_shape());
  if (options.soft_cap) result.saved.tanh = tensor::empty_tensor<T>(shape.scores_shape());
  if (with_sinks) result.saved.sink_weights = tensor::empty_tensor<T>(shape.queries_shape());
  result.y = tensor::empty_tensor<T>(shape.y_shape());
  const model::KeyRange range = model::key_range(options);
  result.saved.bias_shape = shape.bias;
  result.saved.bias_visible = bias_visible;
  const bool with_sums = with_sinks || shape.every_query_sees_a_key(valid, range, bias_visible);
  if (with_sums) result.log_sum_exp = tensor::empty_tensor<T>(shape.queries_shape());
  for_each_head(shape, [&](const KeyValueHead& head) {
    const auto in = head.operands<const T>(result.saved.queries.data(), k.data(), v.data());
    Mask visible = shape.visible_keys_of_head(head.sample, head.head, valid, range, bias_visible);
    Tensor<T> scores = attention_scores<T>(in, head.scores_shape());
    if (options.soft_cap)
      head.copy_to_full_tensor(cap_scores(scores, T(*options.soft_cap)), result.saved.tanh);
    if (with_bias) head.add_bias(extra.bias, scores);
    if (with_sinks) {
      scores = head.append_sinks(scores, extra.sinks);
      visible = model::add_visible_sink(visible, shape.group.keys);
    }
    Tensor<T> weights = ops::softmax(scores, visible);
    if (with_sums) {
      Tensor<T> sums = ops::log_sum_exp(scores, visible);
      change_base(options.log_sum_exp_base, sums);
      head.copy_to_full_tensor(sums, result.log_sum_exp);
    }
    if (with_sinks) {
      SplitColumns<T> parts = split_last_column(weights);
      head.copy_to_full_tensor(parts.last, result.saved.sink_weights);
      weights = std::move(parts.first);
    }
    head.copy_to_full_tensor(weights, result.saved.weights);
    apply_attention_weights<T>(weights, in,
                               head.queries_shape(result.y.data(), shape.value_features));
  });
  return result;
}

template <numeric::Real T>
DotProductGradients<T> scaled_dot_product_attention_backward(
    const Tensor<T>& grad_y, const Tensor<T>& k, const Tensor<T>& v, const Mask& valid,
    const DotProductSaved<T>& saved, const model::AttentionOptions& options) {
  constexpr auto kName = "scaled_dot_product_attention_backward";
  const AttentionShape shape =
      model::attention_shape(kName, shape_of(saved.queries), shape_of(k), shape_of(v),
                             optional_shape(valid), options, {}, saved.bias_shape);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape.y_shape(), Clause::C6);
  tensor::check_shape(kName, "weights", shape_of(saved.weights), shape.scores_shape(), Clause::C7);
  if (options.soft_cap)
    tensor::check_shape(kName, "tanh", shape_of(saved.tanh), shape.scores_shape(), Clause::C7);
  const bool with_sinks = tensor::is_given(saved.sink_weights);
  if (with_sinks)
    tensor::check_shape(kName, "sink_weights", shape_of(saved.sink_weights), shape.queries_shape(),
                        Clause::C7);
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C6);
  const model::KeyRange range = model::key_range(options);
  Tensor<T> grad_queries = tensor::empty_tensor<T>(shape_of(saved.queries));
  DotProductGradients<T> gradients{
      {}, tensor::empty_tensor<T>(shape_of(k)), tensor::empty_tensor<T>(shape_of(v)), {}, {}};
  Tensor<T> sink_terms, bias_terms;
  const bool with_bias = !shape.bias.empty();
  if (with_bias) bias_terms = tensor::empty_tensor<T>(shape.scores_shape());
  if (with_sinks) sink_terms = tensor::empty_tensor<T>(shape.queries_shape());
  for_each_head(shape, [&](const KeyValueHead& head) {
    const Tensor<T> weights = head.copy_from_full_tensor(saved.weights);
    const Mask visible =
        shape.visible_keys_of_head(head.sample, head.head, valid, range, saved.bias_visible);
    const auto scores_backward = [&](const Tensor<T>& grad_weights) {
      Tensor<T> grad_scores;
      if (with_sinks) {
        SplitColumns<T> parts = split_last_column(
            ops::softmax_backward(append_column(grad_weights, [](std::size_t) { return T(0); }),
                                  head.append_sink_weights(weights, saved.sink_weights),
                                  model::add_visible_sink(visible, shape.group.keys)));
        head.copy_to_full_tensor(parts.last, sink_terms);
        grad_scores = std::move(parts.first);
      } else {
        grad_scores = ops::softmax_backward(grad_weights, weights, visible);
      }
      if (with_bias) head.copy_to_full_tensor(grad_scores, bias_terms);
      if (options.soft_cap)
        cap_scores_backward(head.copy_from_full_tensor(saved.tanh), grad_scores);
      return grad_scores;
    };
    write_attention_gradients<T>(
        head.operands<T>(grad_queries.data(), gradients.k.data(), gradients.v.data()),
        head.operands<const T>(saved.queries.data(), k.data(), v.data()), weights,
        [](Tensor<T>&) {}, scores_backward,
        head.queries_shape(grad_y.data(), shape.value_features));
  });
  gradients.q = scaled_tensor(grad_queries, effective_scale<T>(options, shape.features));
  if (with_sinks)
    gradients.sinks = ops::sum_rows(
        exchange_axes(sink_terms, shape.batch_size, shape.heads(), shape.group.tokens));
  if (with_bias) gradients.bias = sum_over_shared_elements(std::move(bias_terms), shape);
  return gradients;
}

#define NORMPROOF_INSTANTIATE(T)                                         \
  template DotProductForward<T> scaled_dot_product_attention(            \
      const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, const Mask&, \
      const model::AttentionOptions&, const ScoreInputs<T>&);            \
  template DotProductGradients<T> scaled_dot_product_attention_backward( \
      const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, const Mask&, \
      const DotProductSaved<T>&, const model::AttentionOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
