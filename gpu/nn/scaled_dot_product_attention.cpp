#include "gpu/nn/scaled_dot_product_attention.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/device/launch.hpp"
#include "gpu/nn/nn_kernels.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/softmax.hpp"
#include "ref/model/attention_shape.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::nn {

using ref::model::AttentionShape;
using ref::numeric::Clause;
using ref::tensor::Mask;

namespace {

using ops::Matrices;

/// The memory layout of attention with H query heads and G key heads. Each key head of each sample
/// has one matrix of queries, which holds the queries of all query heads that share the key head.
class KeyHeads {
 public:
  KeyHeads(const AttentionShape& shape, const DeviceMask& valid,
           const ref::model::AttentionOptions& options, bool with_sinks, Mask bias_visible)
      : with_sinks_(with_sinks),
        bias_visible_(std::move(bias_visible)),
        shape_(shape),
        valid_(valid.is_given() ? valid.host_flags() : Mask()),
        range_(ref::model::key_range(options)) {}

  template <class T>
  AttentionOperands<T> operands(device::Span<T> q, device::Span<T> k, device::Span<T> v) const {
    const std::size_t s = shape_.group.keys, d = shape_.features, e = shape_.value_features;
    return {query_matrices(q, d), matrices(k, s, d), matrices(v, s, e)};
  }
  template <class T>
  Matrices<T> query_matrices(device::Span<T> data, std::size_t columns) const {
    return matrices(data, shape_.group.rows(), columns);
  }

  /// Returns the scores in the shape that softmax expects: [B G, rows, S] for B samples with G key
  /// heads each.
  ScoreMatrices scores() const {
    const std::size_t rows = shape_.group.rows(), keys = shape_.group.keys;
    return {{count(), rows, keys}, matrices(device::Span<double>{}, rows, keys)};
  }
  ScoreParts parts() const {
    return {count(),
            {1, shape_.group.rows(), columns()},
            [this](std::size_t part) { return visible_columns(part); },
            [this](std::size_t part) {
              return shape_.describe_heads(part / shape_.kv_heads, part % shape_.kv_heads);
            }};
  }

  /// Returns the mask of the keys, and of the sink, that each query may attend to. Each key head of
  /// each sample has a mask [rows, S]. If no key is hidden by its position, all queries of a key
  /// head have the same mask, which is stored once as [1, S].
  DeviceMask visible_keys_mask(Device& device) const {
    const Mask first = visible_columns(0);
    if (!ref::tensor::is_given(first)) return {};
    const bool same_for_all = !range_.hides_keys() && !ref::tensor::is_given(bias_visible_);
    const std::size_t rows = same_for_all ? 1 : shape_.group.rows();
    Mask all = ref::tensor::empty_tensor<bool>({count(), rows, columns()});
    for (std::size_t part = 0; part < count(); ++part) {
      const Mask own = visible_columns(part);
      std::copy_n(own.data(), own.size(), all.data() + part * own.size());
    }
    return DeviceMask(device, all, columns());
  }

  /// Whether every query sees a key, or a sink.
  bool every_query_sees_a_score() const {
    return with_sinks_ || shape_.every_query_sees_a_key(valid_, range_, bias_visible_);
  }

 private:
  /// Returns the number of scores of a query: its keys, and perhaps a sink.
  std::size_t columns() const { return shape_.group.keys + (with_sinks_ ? 1 : 0); }
  Mask visible_columns(std::size_t part) const {
    Mask visible = shape_.visible_keys_of_head(part / shape_.kv_heads, part % shape_.kv_heads,
                                               valid_, range_, bias_visible_);
    return with_sinks_ ? ref::model::add_visible_sink(visible, shape_.group.keys) : visible;
  }
  std::size_t count() const { return shape_.batch_size * shape_.kv_heads; }

  template <class T>
  Matrices<T> matrices(device::Span<T> data, std::size_t rows, std::size_t columns) const {
    Matrices<T> m = ops::matrix(data, rows, columns);
    m.batch_size = count();
    m.batch_stride = rows * columns;
    return m;
  }

  bool with_sinks_;
  Mask bias_visible_;
  const AttentionShape& shape_;
  Mask valid_;
  ref::model::KeyRange range_;
};

template <class Given>
Shape optional_shape(const Given& given) {
  return given.is_given() ? given.shape() : Shape{};
}

/// Divides logarithms by the logarithm of 2, if that is the requested base.
void change_base(ref::model::LogSumExpBase base, DeviceTensor<double>& logs) {
  if (base == ref::model::LogSumExpBase::e) return;
  device::launch_elements(logs.device(), logs.size(),
                          DivideBy{ref::numeric::log(2.0), logs.span()});
}

/// Returns terms [B,H,C] as [H, B C].
DeviceTensor<double> heads_first(const DeviceTensor<double>& terms, const AttentionShape& shape,
                                 std::size_t c) {
  DeviceTensor<double> result(terms.device(), {shape.heads(), shape.batch_size * c});
  device::launch_elements(
      terms.device(), terms.size(),
      ExchangeAxes{terms.span(), shape.batch_size, shape.heads(), c, result.span()});
  return result;
}

/// Returns the sums of the gradients [B,H,T,S] over the samples and heads that share an element of
/// the bias.
DeviceTensor<double> sum_over_shared_elements(const DeviceTensor<double>& terms,
                                              const AttentionShape& shape) {
  const std::size_t samples = shape.batch_size, heads = shape.heads(),
                    scores = shape.group.tokens * shape.group.keys;
  const bool all_samples = shape.bias[0] == 1, all_heads = shape.bias[1] == 1;
  DeviceTensor<double> sums = terms;
  if (all_samples && all_heads)
    sums = ops::sum_columns(terms.reshaped({samples * heads, scores}));
  else if (all_samples)
    sums = ops::sum_columns(terms.reshaped({samples, heads * scores}));
  else if (all_heads)
    sums = ops::sum_columns(heads_first(terms, shape, scores));
  return sums.reshaped(shape.bias);
}

/// Adds a bias to scores [B,H,T,S], in place.
void add_bias(const DeviceTensor<double>& bias, const AttentionShape& shape,
              DeviceTensor<double>& scores) {
  const std::size_t elements = shape.group.tokens * shape.group.keys;
  device::launch_elements(bias.device(), scores.size(),
                          AddBias{bias.span(), shape.heads(), elements,
                                  shape.bias[0] == 1 ? 0 : shape.bias[1] * elements,
                                  shape.bias[1] == 1 ? 0 : elements, scores.span()});
}

void check_finite_elements(std::string_view function, std::string_view argument,
                           const DeviceTensor<double>& t, Clause clause) {
  if (ops::find_first_not_finite(t) < t.size())
    ref::tensor::check_finite(function, argument, device::download(t), clause);
}

DeviceTensor<double> multiply_by_scale(const DeviceTensor<double>& t,
                                       const ref::model::AttentionOptions& options) {
  const auto features = static_cast<double>(t.shape().back());
  DeviceTensor<double> result(t.device(), t.shape());
  device::launch_elements(
      t.device(), t.size(),
      Scale{options.scale.value_or(1.0 / std::sqrt(features)), t.span(), result.span()});
  return result;
}

}  // namespace

DotProductForward scaled_dot_product_attention(const DeviceTensor<double>& q,
                                               const DeviceTensor<double>& k,
                                               const DeviceTensor<double>& v,
                                               const DeviceMask& valid,
                                               const ref::model::AttentionOptions& options,
                                               const Products& products, const ScoreInputs& extra) {
  constexpr auto kName = "scaled_dot_product_attention";
  const bool with_sinks = extra.sinks.is_given();
  const AttentionShape shape =
      ref::model::attention_shape(kName, q.shape(), k.shape(), v.shape(), optional_shape(valid),
                                  options, optional_shape(extra.sinks), optional_shape(extra.bias));
  const bool with_bias = extra.bias.is_given();
  if (ref::tensor::is_given(extra.bias_visible))
    ref::tensor::check_shape(kName, "bias_visible", ref::tensor::shape_of(extra.bias_visible),
                             shape.bias, Clause::C11);
  check_finite_elements(kName, "q", q, Clause::C5);
  check_finite_elements(kName, "k", k, Clause::C5);
  check_finite_elements(kName, "v", v, Clause::C5);
  if (with_sinks) check_finite_elements(kName, "sinks", extra.sinks, Clause::C5);
  if (with_bias) check_finite_elements(kName, "bias", extra.bias, Clause::C5);
  const KeyHeads heads(shape, valid, options, with_sinks, extra.bias_visible);
  Device& device = q.device();
  DotProductForward result;
  result.queries = multiply_by_scale(q, options);
  const auto in = heads.operands(std::as_const(result.queries).span(), k.span(), v.span());
  const DeviceMask visible_keys_mask = heads.visible_keys_mask(device);
  DeviceTensor<double> scores = attention_scores(device, in, heads.scores(), products);
  if (options.soft_cap)
    result.tanh = cap_scores(scores, *options.soft_cap).reshaped(shape.scores_shape());
  result.bias_shape = shape.bias;
  result.bias_visible = extra.bias_visible;
  if (with_bias) add_bias(extra.bias, shape, scores);
  if (with_sinks) scores = append_column(scores, extra.sinks, shape.group.tokens);
  DeviceTensor<double> weights = attention_weights(scores, visible_keys_mask, heads.parts());
  if (heads.every_query_sees_a_score()) {
    result.log_sum_exp =
        ops::log_sum_exp(scores, visible_keys_mask).reshaped(shape.queries_shape());
    change_base(options.log_sum_exp_base, result.log_sum_exp);
  }
  if (with_sinks) {
    SplitColumns columns = split_last_column(weights);
    weights = std::move(columns.first);
    result.sink_weights = columns.last.reshaped(shape.queries_shape());
  }
  result.y = DeviceTensor<double>(device, shape.y_shape());
  attend(device, weights, heads.scores(), in,
         heads.query_matrices(result.y.span(), shape.value_features), products);
  result.weights = weights.reshaped(shape.scores_shape());
  return result;
}

DotProductGradients scaled_dot_product_attention_backward(
    const DeviceTensor<double>& grad_y, const DeviceTensor<double>& k,
    const DeviceTensor<double>& v, const DeviceMask& valid, const DotProductForward& forward,
    const ref::model::AttentionOptions& options, const Products& products) {
  constexpr auto kName = "scaled_dot_product_attention_backward";
  const AttentionShape shape =
      ref::model::attention_shape(kName, forward.queries.shape(), k.shape(), v.shape(),
                                  optional_shape(valid), options, {}, forward.bias_shape);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), shape.y_shape(), Clause::C6);
  ref::tensor::check_shape(kName, "weights", forward.weights.shape(), shape.scores_shape(),
                           Clause::C7);
  if (options.soft_cap)
    ref::tensor::check_shape(kName, "tanh", forward.tanh.shape(), shape.scores_shape(), Clause::C7);
  const bool with_sinks = forward.sink_weights.is_given();
  if (with_sinks)
    ref::tensor::check_shape(kName, "sink_weights", forward.sink_weights.shape(),
                             shape.queries_shape(), Clause::C7);
  check_finite_elements(kName, "grad_y", grad_y, Clause::C6);
  const KeyHeads heads(shape, valid, options, with_sinks, forward.bias_visible);
  Device& device = k.device();
  DeviceTensor<double> grad_queries(device, forward.queries.shape());
  DotProductGradients gradients{
      {}, DeviceTensor<double>(device, k.shape()), DeviceTensor<double>(device, v.shape()), {}, {}};
  const DeviceTensor<double> weights = forward.weights.reshaped(heads.scores().shape);
  const ScoreGradients of_scores = write_attention_gradients(
      device, heads.operands(grad_queries.span(), gradients.k.span(), gradients.v.span()),
      heads.operands(forward.queries.span(), k.span(), v.span()),
      {weights, weights, [](const DeviceTensor<double>& own) { return own; },
       heads.query_matrices(grad_y.span(), shape.value_features),
       options.soft_cap ? forward.tanh.reshaped(heads.scores().shape) : DeviceTensor<double>(),
       forward.sink_weights},
      heads.scores(), heads.visible_keys_mask(device), heads.parts(), products);
  gradients.q = multiply_by_scale(grad_queries, options);
  if (with_sinks)
    gradients.sinks = ops::sum_rows(heads_first(of_scores.sinks, shape, shape.group.tokens));
  if (!shape.bias.empty()) gradients.bias = sum_over_shared_elements(of_scores.scores, shape);
  return gradients;
}

}  // namespace normproof::gpu::nn
