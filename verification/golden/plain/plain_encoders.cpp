#include "verification/golden/plain/plain_encoders.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <utility>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_decoder_layer.hpp"
#include "verification/golden/plain/plain_embedding.hpp"
#include "verification/golden/plain/plain_outputs.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::has_operation;
using corpus::usual_accumulation;

namespace {

using ref::model::EncoderTensors;
using EncoderOp = MutationOperator;
using EncoderShape = std::vector<std::size_t>;

/// Runs a single encoder or decoder layer, forward and backward. The gradient of y is an input of
/// the case.
template <class T>
class PlainLayerRun {
 public:
  PlainLayerRun(const Case& c, const EncoderTensors& in, const Style& style, Sites& sites)
      : case_(c),
        in_(in),
        parts_(in, style, sites),
        sites_(sites),
        shape_(find(c.inputs, "x")->shape) {
    parts_.set_rows(shape_[0], shape_[1]);
    x_ = read("x"), dy_ = read("grad_y");
  }

  NamedOutputs<T> run_encoder_layer() {
    PlainEncoderLayer<T> layer(parts_, "");
    store_y(layer.forward(x_));
    store_weights("attention.weights", shape_[1], layer.weights());
    answer_.store_output("grad_x", shape_, layer.backward(dy_, answer_.values));
    return std::move(answer_);
  }

  NamedOutputs<T> run_decoder_layer() {
    const Numbers<T> memory = read("memory");
    PlainSourceMask source{find(case_.inputs, "memory")->shape[1], {}};
    source.valid.assign(shape_[0] * source.length, true);
    if (ref::tensor::is_given(in_.memory_valid))
      source.valid.assign(in_.memory_valid.begin(), in_.memory_valid.end());
    PlainDecoderLayer<T> layer(parts_, "", source);
    store_y(layer.forward(x_, memory));
    store_weights("self_attention.weights", shape_[1], layer.self_weights());
    store_weights("cross_attention.weights", source.length, layer.cross_weights());
    answer_.store_output("grad_x", shape_, layer.backward(dy_, answer_.values));
    return std::move(answer_);
  }

 private:
  Numbers<T> read(const std::string& name) {
    Numbers<T> values = parts_.given(name);
    const PlainShape rows{values.size() / shape_[2], 1, shape_[2]};
    read_rows(("reading " + name).c_str(), rows, values, sites_);
    return values;
  }

  void store_y(Numbers<T> y) {
    if (sites_.any("y of padding", {EncoderOp::drop}) == EncoderOp::drop)
      for (std::size_t i = 0; i < y.size(); ++i)
        if (!parts_.valid_[i / shape_[2]]) y[i] = T(0);
    answer_.store_output("y", shape_, std::move(y));
  }

  void store_weights(const char* name, std::size_t keys, const Numbers<T>& weights) {
    answer_.store_output(name, {shape_[0], in_.config.num_heads, shape_[1], keys}, weights);
  }

  const Case& case_;
  const EncoderTensors& in_;
  PlainEncoderContext<T> parts_;
  Sites& sites_;
  EncoderShape shape_;
  Numbers<T> x_, dy_;
  NamedOutputs<T> answer_;
};

/// The whole encoder, from tokens to loss.
template <class T>
class PlainEncoder {
 public:
  PlainEncoder(const EncoderTensors& in, const Style& style, Sites& sites)
      : in_(in), parts_(in, style, sites), sites_(sites), width_(in.config.d_model) {
    parts_.set_rows(in.tokens.batch_size, in.tokens.seq_len);
    for (std::size_t l = 0; l < in.config.num_layers; ++l)
      layers_.emplace_back(parts_, fmt::format("layers.{}.", l));
  }

  NamedOutputs<T> run() {
    PlainEmbedding<T> embedding(parts_, "embedding.weight", in_.config.vocab_size);
    PlainFinalNorm<T> final_norm(parts_, "final_norm");
    Numbers<T> x = embedding.forward(in_.tokens);
    for (PlainEncoderLayer<T>& layer : layers_) x = layer.forward(x);
    x = final_norm.forward(x);
    const bool whole = in_.config.pooling == model::Pooling::masked_mean;
    const Numbers<T> pooled = whole ? pool(x) : x;
    const PlainLinearMap head{"head", "head", width_, in_.config.num_classes};
    const Numbers<T> logits = parts_.linear(head, pooled);
    EncoderShape shape = {in_.tokens.batch_size, in_.config.num_classes};
    if (!whole) shape.insert(shape.begin() + 1, in_.tokens.seq_len);
    answer_.store_output("logits", shape, logits);
    Numbers<T> grad = parts_.linear_backward(head, loss(logits, whole), pooled, answer_.values);
    if (whole) grad = pool_backward(grad);
    grad = final_norm.backward(grad, answer_.values);
    for (std::size_t l = layers_.size(); l-- > 0;) grad = layers_[l].backward(grad, answer_.values);
    embedding.backward(in_.tokens, grad, answer_.values);
    return std::move(answer_);
  }

 private:
  /// Returns the rows whose mean represents a sentence, and the number by which the sum of these
  /// rows is divided.
  std::pair<std::vector<std::size_t>, T> counted(std::size_t sentence) {
    const std::size_t seq_len = in_.tokens.seq_len;
    std::vector<std::size_t> rows;
    for (std::size_t row = sentence * seq_len; row < (sentence + 1) * seq_len; ++row)
      if (sites_.mask("mask of the mean", parts_.valid_[row])) rows.push_back(row);
    const bool of_all = sites_.any("n of the mean of a sentence", {EncoderOp::ignore_mask}) ==
                        EncoderOp::ignore_mask;
    const T n = to_scalar<T>(of_all ? seq_len : rows.size());
    return {rows, sites_.count("n of the mean of a sentence", n)};
  }

  Numbers<T> pool(const Numbers<T>& x) {
    Numbers<T> pooled;
    for (std::size_t b = 0; b < in_.tokens.batch_size; ++b) {
      const auto [rows, n] = counted(b);
      for (std::size_t d = 0; d < width_; ++d) {
        const T sum = parts_.a_.sum("sum of the mean of a sentence", rows,
                                    [&](std::size_t row) { return x[row * width_ + d]; });
        pooled.push_back(parts_.a_.over(sum, n));
      }
    }
    return pooled;
  }

  Numbers<T> pool_backward(const Numbers<T>& grad_p) {
    Numbers<T> grad(parts_.rows() * width_, T(0));
    for (std::size_t b = 0; b < in_.tokens.batch_size; ++b) {
      const auto [rows, n] = counted(b);
      for (const std::size_t row : rows)
        for (std::size_t d = 0; d < width_; ++d)
          grad[row * width_ + d] = parts_.a_.over(grad_p[b * width_ + d], n);
    }
    return grad;
  }

  /// Computes the loss and stores it. Returns the gradient of the logits.
  Numbers<T> loss(const Numbers<T>& logits, bool whole) {
    const std::size_t classes = in_.config.num_classes, rows = logits.size() / classes;
    const std::size_t each = rows / in_.tokens.batch_size;
    std::vector<std::size_t> counts;
    for (std::size_t row = 0; row < rows; ++row)
      if (whole || sites_.mask("mask of the loss", parts_.valid_[row])) counts.push_back(row);
    const auto label = [&](std::size_t row) {
      return static_cast<std::size_t>(in_.labels[row / each]);
    };
    const auto weight = [&](std::size_t row) {
      if (!in_.tensors.contains("class_weights")) return T(1);
      const T own = parts_.given("class_weights")[label(row)];
      // A changed sign is not offered, because it would cancel in the quotient.
      switch (sites_.any("class weight",
                         {EncoderOp::drop, EncoderOp::square, EncoderOp::half_precision})) {
        case EncoderOp::drop:
          return T(1);
        case EncoderOp::square:
          return own * own;
        case EncoderOp::half_precision:
          return Sites::rounded_to<11>(own);
        default:
          return own;
      }
    };
    T total = parts_.a_.sum("sum of the class weights", counts, weight);
    switch (sites_.any("divisor of the weighted mean loss", {EncoderOp::other, EncoderOp::drop})) {
      case EncoderOp::other:  // error: the number of rows
        total = to_scalar<T>(counts.size());
        break;
      case EncoderOp::drop:
        total = T(1);
        break;
      default:
        break;
    }
    Numbers<T> grad(logits.size(), T(0)), log_p(logits.size());
    for (std::size_t row = 0; row < rows; ++row) log_softmax(logits, row, log_p);
    const T sum = parts_.a_.sum("sum of the loss", counts, [&](std::size_t row) {
      return weight(row) * sites_.factor("sign of the loss", -log_p[row * classes + label(row)]);
    });
    answer_.store_output("loss", {1}, {parts_.a_.over(sum, total)});
    for (const std::size_t row : counts)
      for (std::size_t k = 0; k < classes; ++k) {
        const T target = k == label(row) ? sites_.term("1 at the label", T(1)) : T(0);
        const T p = sites_.factor("probability in grad_logits", adl_exp(log_p[row * classes + k]));
        grad[row * classes + k] = parts_.a_.over((p - target) * weight(row), total);
      }
    return grad;
  }

  void log_softmax(const Numbers<T>& logits, std::size_t row, Numbers<T>& log_p) {
    const std::size_t classes = in_.config.num_classes;
    const T* const own = logits.data() + row * classes;
    const T largest = *std::max_element(own, own + classes);
    const T sum = parts_.a_.sum("sum of exponentials", indices_below(classes),
                                [&](std::size_t k) { return adl_exp(own[k] - largest); });
    for (std::size_t k = 0; k < classes; ++k)
      log_p[row * classes + k] = (own[k] - largest) - sites_.term("log of the sum", adl_log(sum));
  }

  const EncoderTensors& in_;
  PlainEncoderContext<T> parts_;
  Sites& sites_;
  std::size_t width_;
  std::deque<PlainEncoderLayer<T>> layers_;
  NamedOutputs<T> answer_;
};

template <class T>
std::vector<StoredTensor> run_encoder_with_scalar_type(const Case& c, const EvalInputs& inputs,
                                                       const Style& style, Sites& sites) {
  const EncoderTensors& in = inputs.encoder;
  NamedOutputs<T> answer = has_operation<ref::model::EncoderOptions>(c)
                               ? PlainEncoder<T>(in, style, sites).run()
                           : has_operation<ref::model::DecoderLayerOptions>(c)
                               ? PlainLayerRun<T>(c, in, style, sites).run_decoder_layer()
                               : PlainLayerRun<T>(c, in, style, sites).run_encoder_layer();
  return store_outputs(c, std::move(answer), in.tensors, in.state, style, sites);
}

}  // namespace

std::vector<StoredTensor> run_plain_encoder(const Case& c, const EvalInputs& inputs,
                                            const Style& style, Sites& sites) {
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), [&]<class T>(T) {
    return run_encoder_with_scalar_type<T>(c, inputs, style, sites);
  });
}

}  // namespace normproof::verification::golden::plain
