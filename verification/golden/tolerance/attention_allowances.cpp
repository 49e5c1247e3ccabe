#include "verification/golden/tolerance/attention_allowances.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "ref/model/attention_shape.hpp"
#include "ref/nn/scaled_dot_product_attention.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using corpus::storage_format;
using ref::tensor::NamedTensors;
using ref::tensor::shape_of;
using ref::tensor::Tensor;

namespace {

class AttentionAllowances {
 public:
  AttentionAllowances(const Case& c, const checks::evaluation::FunctionInputs& in,
                      Accumulation accumulation, NamedTensors<double>& bound)
      : options_(std::get<ref::model::AttentionOptions>(
            std::get<ref::model::FunctionOptions>(c.options))),
        q_(in.tensors.at("q")),
        k_(in.tensors.at("k")),
        v_(in.tensors.at("v")),
        dy_(in.tensors.at("grad_y")),
        with_sinks_(in.tensors.contains("sinks")),
        stored_as_(storage_format(c.dtype)),
        bound_(bound),
        u_(accumulation_arithmetic(accumulation).unit_roundoff),
        shape_(ref::model::attention_shape(
            "attention", shape_of(q_), shape_of(k_), shape_of(v_),
            ref::tensor::is_given(in.valid) ? shape_of(in.valid) : ref::tensor::Shape{}, options_,
            {},
            in.tensors.contains("bias") ? shape_of(in.tensors.at("bias")) : ref::tensor::Shape{})),
        forward_(ref::nn::scaled_dot_product_attention(q_, k_, v_, in.valid, options_,
                                                       score_inputs(in))) {
    if (in.tensors.contains("bias")) bias_ = ref::model::split_bias(in.tensors.at("bias")).finite;
    if (with_sinks_) sinks_ = in.tensors.at("sinks");
    if (corpus::rounds_when_stored(c.dtype, accumulation))
      format_ = accumulation_arithmetic(storage_format(c.dtype));
    scale_ = options_.scale.value_or(1 / std::sqrt(static_cast<double>(shape_.features)));
  }

  void add() {
    const std::size_t queries = shape_.batch_size * shape_.heads() * shape_.group.tokens;
    for (std::size_t query = 0; query < queries; ++query) add_query(query);
  }

 private:
  /// Returns the error of rounding a value to the dtype of the case. The value itself may be off by
  /// `error`. The result is 0 if the dtype can represent the value and the error is too small to
  /// reach another number of the dtype.
  double stored(double value, double error) const {
    const double u = format_.unit_roundoff;
    if (u == 0) return 0;
    const bool is_held = ref::numeric::round_to(stored_as_, value) == value;
    if (is_held && error < u / 2 * std::fabs(value)) return 0;
    return format_.unit_roundoff * (std::fabs(value) + error + 2 * format_.tiny);
  }
  void add(const char* name, std::size_t i, double amount) {
    const double slack =
        operation_slack(2 * static_cast<double>(shape_.group.keys + shape_.features + 8), u_);
    double& bound = bound_.at(name).data()[i];
    bound += amount * slack;
    // 0 times an infinite error is NaN. The bound is infinite in this case, too.
    if (std::isnan(bound)) bound = std::numeric_limits<double>::infinity();
  }

  void add_query(std::size_t query) {
    const std::size_t keys = shape_.group.keys, d = shape_.features, e = shape_.value_features;
    const std::size_t first_key =
        query / shape_.group.rows() * keys;  // first key of the head that this query reads
    const double* const w = forward_.saved.weights.data() + query * keys;
    const double* const dy = dy_.data() + query * e;
    std::vector<double> scores(keys), grad_weights(keys), moved(keys), slopes(keys, 1.0);
    // tanh x may be computed as 2/(1 + exp(-2x)) - 1, whose error is relative to 1.
    const double error_of_tanh = options_.soft_cap ? 2 * kPublishedSigmoidError * u_ : 0;
    const double error_of_score = error_of_tanh * options_.soft_cap.value_or(0);
    if (error_of_score > 0 && ref::tensor::is_given(forward_.log_sum_exp))
      add("log_sum_exp", query,
          options_.log_sum_exp_base == ref::model::LogSumExpBase::e
              ? error_of_score
              : error_of_score / std::numbers::ln2);
    double largest = -std::numeric_limits<double>::infinity(), mean = 0, mean_error = 0;
    const std::size_t tokens = shape_.group.tokens, head = query / tokens % shape_.heads();
    const bool with_bias = ref::tensor::is_given(bias_);
    const std::size_t first_bias =
        with_bias
            ? shape_.first_bias_index(query / tokens / shape_.heads(), head) + query % tokens * keys
            : 0;
    for (std::size_t j = 0; j < keys; ++j) {
      for (std::size_t c = 0; c < d; ++c)
        scores[j] +=
            forward_.saved.queries.data()[query * d + c] * k_.data()[(first_key + j) * d + c];
      for (std::size_t c = 0; c < e; ++c)
        grad_weights[j] += dy[c] * v_.data()[(first_key + j) * e + c];
      if (options_.soft_cap) {
        const double t = forward_.saved.tanh.data()[query * keys + j];
        scores[j] = *options_.soft_cap * t;
        slopes[j] = 1 - t * t;
      }
      if (with_bias) scores[j] += bias_.data()[first_bias + j];
      if (w[j] > 0) largest = std::fmax(largest, scores[j]);
      mean += w[j] * grad_weights[j];
    }
    if (with_sinks_) largest = std::fmax(largest, sinks_.data()[head]);
    for (std::size_t j = 0; j < keys; ++j) {
      if (w[j] == 0) continue;
      const double apart = std::fabs(scores[j] - largest) + static_cast<double>(keys);
      // The largest score, which is subtracted, may have the opposite error.
      const double exponent =
          kOperationError * u_ * (std::fabs(largest) + apart) + 2 * error_of_score;
      const double from_cap = w[j] * 2 * error_of_score * ref::numeric::exp(2 * error_of_score);
      const double weight_error = stored(w[j], w[j] * exponent) + from_cap;
      moved[j] = weight_error + w[j] * exponent * ref::numeric::exp(exponent);
      mean_error += moved[j] * std::fabs(grad_weights[j]);
      for (std::size_t c = 0; c < e; ++c) {
        const std::size_t at = (first_key + j) * e + c;
        add("y", query * e + c, weight_error * std::fabs(v_.data()[at]));
        add("grad_v", at, moved[j] * std::fabs(dy[c]));
      }
    }
    for (std::size_t c = 0; c < e; ++c) {
      const double y = forward_.y.data()[query * e + c];
      const double error = bound_.at("y").data()[query * e + c];
      mean_error += std::fabs(dy[c]) *
                    (error + stored(y, error) + static_cast<double>(e) * u_ * std::fabs(y));
    }
    if (with_sinks_) {
      const double weight = forward_.saved.sink_weights.data()[query];
      const double apart = std::fabs(sinks_.data()[head] - largest) + static_cast<double>(keys);
      const double exponent =
          kOperationError * u_ * (std::fabs(largest) + apart) + 2 * error_of_score;
      const double weight_error =
          stored(weight, weight * exponent) + weight * exponent * ref::numeric::exp(exponent);
      add("grad_sinks", head, weight_error * (std::fabs(mean) + mean_error) + weight * mean_error);
    }
    for (std::size_t j = 0; j < keys; ++j) {
      if (w[j] == 0) continue;
      const double difference = std::fabs(grad_weights[j] - mean);
      const double off = moved[j] * (difference + mean_error) + w[j] * mean_error;
      if (with_bias) add("grad_bias", first_bias + j, off + stored(w[j] * difference, off));
      const double gradient_error = off * slopes[j] + 2 * error_of_tanh * (w[j] * difference + off);
      const double score_error =
          scale_ * (gradient_error + stored(w[j] * difference * slopes[j], gradient_error));
      for (std::size_t c = 0; c < d; ++c) {
        const std::size_t at = (first_key + j) * d + c;
        add("grad_q", query * d + c, score_error * std::fabs(k_.data()[at]));
        add("grad_k", at, score_error * std::fabs(q_.data()[query * d + c]));
      }
    }
  }

  static ref::nn::ScoreInputs<double> score_inputs(const checks::evaluation::FunctionInputs& in) {
    ref::nn::ScoreInputs<double> extra;
    if (in.tensors.contains("sinks")) extra.sinks = in.tensors.at("sinks");
    if (in.tensors.contains("bias")) {
      ref::model::SplitBias parts = ref::model::split_bias(in.tensors.at("bias"));
      extra.bias = std::move(parts.finite);
      extra.bias_visible = std::move(parts.visible);
    }
    return extra;
  }

  ref::model::AttentionOptions options_;
  const Tensor<double>&q_, &k_, &v_, &dy_;
  bool with_sinks_;
  Tensor<double> sinks_;  ///< [H]; empty without sinks
  Tensor<double> bias_;   ///< with 0 in place of -infinity; empty without a bias
  ref::model::StorageFormat stored_as_;
  NamedTensors<double>& bound_;
  double u_, scale_ = 1;
  ref::model::AttentionShape shape_;
  ref::nn::DotProductForward<double> forward_;
  ref::numeric::Arithmetic format_{.unit_roundoff = 0, .tiny = 0, .largest = 0};
};

}  // namespace

void add_attention_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                              Accumulation accumulation, NamedTensors<double>& bound) {
  AttentionAllowances(c, inputs, accumulation, bound).add();
}

}  // namespace normproof::verification::golden::tolerance
