#include "verification/golden/plain/plain_transformers.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_decoder_layer.hpp"
#include "verification/golden/plain/plain_decoding.hpp"

namespace normproof::verification::golden::plain {

using corpus::has_operation;
using corpus::usual_accumulation;

namespace {

using ref::model::EncoderTensors;
using ref::model::TransformerTensors;

/// Sets the number of rows, and whether padded rows have gradients. The loss ignores padded rows.
/// Their gradients are therefore 0, unless the norm layer is PowerNormReleased, which gives padded
/// rows a gradient.
template <class T>
void set_rows(PlainEncoderContext<T>& parts, const ref::model::Tokens& tokens) {
  parts.set_rows(tokens.batch_size, tokens.seq_len);
  parts.pads_have_gradients_ =
      std::holds_alternative<ref::model::PowerNormReleasedOptions>(parts.in_.config.norm);
}

/// A language model: a causal encoder from tokens to loss.
template <class T>
class PlainLanguageModel {
 public:
  PlainLanguageModel(const TransformerTensors& in, const Style& style, Sites& sites)
      : in_(in),
        side_(make_side_inputs(in, in.config.decoder, true, in.valid, "embedding.weight")),
        parts_(side_, style, sites) {
    set_rows(parts_, in.tokens);
    for (std::size_t l = 0; l < side_.config.num_layers; ++l)
      layers_.emplace_back(parts_, fmt::format("layers.{}.", l));
  }

  NamedOutputs<T> run(DType dtype) {
    PlainVocabulary<T> vocabulary(parts_, in_, "embedding.weight");
    PlainFinalNorm<T> final_norm(parts_, "final_norm");
    NamedOutputs<T> answer;
    Numbers<T> x = vocabulary.embed();
    for (PlainEncoderLayer<T>& layer : layers_) x = layer.forward(x);
    Numbers<T> grad = vocabulary.compute_loss(final_norm.forward(x), dtype, answer);
    grad = final_norm.backward(grad, answer.values);
    for (std::size_t l = layers_.size(); l-- > 0;) grad = layers_[l].backward(grad, answer.values);
    vocabulary.embed_backward(grad, answer.values);
    return answer;
  }

 private:
  const TransformerTensors& in_;
  EncoderTensors side_;
  PlainEncoderContext<T> parts_;
  std::deque<PlainEncoderLayer<T>> layers_;
};

/// The encoder of a translator, from the source tokens to the memory.
template <class T>
class PlainSourceSide {
 public:
  PlainSourceSide(const TransformerTensors& in, const Style& style, Sites& sites)
      : in_(in),
        side_(make_side_inputs(in, in.config.encoder, false, in.source_valid,
                               "decoder.embedding.weight")),
        sites_(sites.part(kPrefix)),
        parts_(side_, style, sites_),
        embedding_(parts_, "encoder.embedding.weight", in.config.source_vocab_size),
        final_norm_(parts_, "encoder.final_norm") {
    set_rows(parts_, in.source);
    for (std::size_t l = 0; l < side_.config.num_layers; ++l)
      layers_.emplace_back(parts_, fmt::format("encoder.layers.{}.", l));
  }

  PlainSourceMask source() const { return {in_.source.seq_len, parts_.valid_}; }

  Numbers<T> forward() {
    Numbers<T> x = embedding_.forward(in_.source);
    for (PlainEncoderLayer<T>& layer : layers_) x = layer.forward(x);
    return final_norm_.forward(x);
  }

  void backward(Numbers<T> grad, NamedNumbers<T>& gradients, PlainEncoderContext<T>& of_the_whole) {
    grad = final_norm_.backward(grad, gradients);
    for (std::size_t l = layers_.size(); l-- > 0;) grad = layers_[l].backward(grad, gradients);
    embedding_.backward(in_.source, grad, gradients);
    of_the_whole.offer_mutations(kPrefix, sites_);
  }

 private:
  static constexpr const char* kPrefix = "encoder: ";

  const TransformerTensors& in_;
  EncoderTensors side_;
  Sites sites_;
  PlainEncoderContext<T> parts_;
  PlainEmbedding<T> embedding_;
  PlainFinalNorm<T> final_norm_;
  std::deque<PlainEncoderLayer<T>> layers_;
};

template <class T>
class PlainTranslator {
 public:
  PlainTranslator(const TransformerTensors& in, const Style& style, Sites& sites)
      : in_(in),
        source_(in, style, sites),
        memory_of_(source_.source()),
        side_(make_side_inputs(in, in.config.decoder, true, in.valid, "decoder.embedding.weight")),
        parts_(side_, style, sites),
        sites_(sites) {
    set_rows(parts_, in.tokens);
    for (std::size_t l = 0; l < side_.config.num_layers; ++l)
      layers_.emplace_back(parts_, fmt::format("decoder.layers.{}.", l), memory_of_);
  }

  NamedOutputs<T> run(DType dtype) {
    PlainVocabulary<T> vocabulary(parts_, in_, "decoder.embedding.weight");
    PlainFinalNorm<T> final_norm(parts_, "decoder.final_norm");
    NamedOutputs<T> answer;
    const Numbers<T> memory = source_.forward();
    Numbers<T> x = vocabulary.embed();
    for (PlainDecoderLayer<T>& layer : layers_) x = layer.forward(x, memory);
    Numbers<T> grad = vocabulary.compute_loss(final_norm.forward(x), dtype, answer);
    grad = final_norm.backward(grad, answer.values);
    const bool last = layers_.size() > 1 &&
                      sites_.any("layers in grad_memory", {MutationOperator::forget_first}) ==
                          MutationOperator::forget_first;
    Numbers<T> grad_memory;
    for (std::size_t l = layers_.size(); l-- > 0;) {
      grad = layers_[l].backward(grad, answer.values);
      const Numbers<T> own = std::move(answer.values.at("grad_memory"));
      if (grad_memory.empty())
        grad_memory = own;
      else if (!last)
        for (std::size_t i = 0; i < own.size(); ++i) grad_memory[i] += own[i];
    }
    answer.values.erase("grad_memory");
    vocabulary.embed_backward(grad, answer.values);
    source_.backward(std::move(grad_memory), answer.values, parts_);
    return answer;
  }

 private:
  const TransformerTensors& in_;
  PlainSourceSide<T> source_;
  PlainSourceMask memory_of_;
  EncoderTensors side_;
  PlainEncoderContext<T> parts_;
  Sites& sites_;
  std::deque<PlainDecoderLayer<T>> layers_;
};

template <class T>
NamedOutputs<T> run_transformer_with_scalar_type(const Case& c, const TransformerTensors& in,
                                                 const Style& style, Sites& sites) {
  if (has_operation<ref::model::DecodingOptions>(c))
    return PlainDecoding<T>(in, style, sites).run();
  if (has_operation<ref::model::LanguageModelOptions>(c))
    return PlainLanguageModel<T>(in, style, sites).run(c.dtype);
  return PlainTranslator<T>(in, style, sites).run(c.dtype);
}

}  // namespace

std::vector<StoredTensor> run_plain_transformer(const Case& c, const EvalInputs& inputs,
                                                const Style& style, Sites& sites) {
  const TransformerTensors& in = inputs.transformer;
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), [&]<class T>(T) {
    return store_outputs(c, run_transformer_with_scalar_type<T>(c, in, style, sites), in.tensors,
                         in.state, style, sites);
  });
}

}  // namespace normproof::verification::golden::plain
