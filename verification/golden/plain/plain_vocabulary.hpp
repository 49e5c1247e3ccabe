#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_embedding.hpp"
#include "verification/golden/plain/plain_loss.hpp"
#include "verification/golden/plain/plain_outputs.hpp"

namespace normproof::verification::golden::plain {

/// Returns one side of a Transformer, its encoder or its decoder, in the form of the inputs of an
/// encoder. Tensors keep their names. If the head is tied, the tensor named `embedding` is also
/// added as "head.weight".
inline ref::model::EncoderTensors make_side_inputs(const ref::model::TransformerTensors& in,
                                                   const ref::model::LayersConfig& layers,
                                                   bool causal, const ref::tensor::Mask& valid,
                                                   const std::string& embedding) {
  ref::model::EncoderTensors side;
  side.config = {.vocab_size = in.config.target_vocab_size,
                 .d_model = in.config.d_model,
                 .num_heads = layers.num_heads,
                 .d_ff = layers.d_ff,
                 .num_layers = layers.num_layers,
                 .num_classes = in.config.target_vocab_size,
                 .activation = in.config.activation,
                 .placement = in.config.placement,
                 .norm = layers.norm,
                 .positions = in.config.positions,
                 .scaled_embedding = in.config.scaled_embedding,
                 .dropout = 0,
                 .causal = causal};
  side.tensors = in.tensors;
  if (in.config.tied_head) side.tensors.set("head.weight", in.tensors.at(embedding));
  side.state = in.state;
  side.valid = valid;
  side.mode = in.mode;
  return side;
}

/// Returns the factor by which the input of the head is multiplied. The factor is 1. For a tied
/// head, an injected error can change it to sqrt(D) or 1/sqrt(D).
template <class T>
T tied_head_factor(Sites& sites, const ref::model::DecoderConfig& config) {
  if (!config.tied_head) return T(1);
  const T root = adl_sqrt(to_scalar<T>(config.d_model));
  using enum MutationOperator;
  const MutationOperator op = sites.any("sqrt(D) on the tied head", {insert, inverted});
  return op == insert ? root : op == inverted ? 1 / root : T(1);
}

/// The embedding of a vocabulary, the head that computes logits over the vocabulary, and the
/// cross-entropy of the targets, written with simple loops. The weight of the head may be tied to
/// the embedding.
template <class T>
class PlainVocabulary {
 public:
  PlainVocabulary(PlainEncoderContext<T>& parts, const ref::model::TransformerTensors& in,
                  std::string name)
      : parts_(parts),
        in_(in),
        sites_(parts.sites_),
        name_(std::move(name)),
        embedding_(parts, name_, in.config.target_vocab_size),
        head_{"head", "head", in.config.d_model, in.config.target_vocab_size} {}

  Numbers<T> embed() { return embedding_.forward(in_.tokens); }

  /// Computes logits and loss from the output of the last layer. Returns the gradient with respect
  /// to that output.
  Numbers<T> compute_loss(Numbers<T> x, DType dtype, NamedOutputs<T>& answer) {
    const T factor = tied_head_factor<T>(sites_, in_.config);
    for (T& element : x) element *= factor;
    const Numbers<T> logits = parts_.linear(head_, x);
    const std::size_t words = in_.config.target_vocab_size;
    answer.store_output("logits", {in_.tokens.batch_size, in_.tokens.seq_len, words}, logits);
    ref::model::FunctionInputs rows;
    auto values = ref::tensor::empty_tensor<double>({logits.size() / words, words});
    for (std::size_t i = 0; i < logits.size(); ++i)
      values.data()[i] = static_cast<double>(logits[i]);
    rows.tensors.set("logits", std::move(values));
    if (ref::tensor::is_given(in_.valid)) {
      rows.valid = in_.valid;
      rows.valid.reshape({in_.valid.size()});
    }
    rows.targets = targets();
    Sites own = sites_.part(kPrefix);
    PlainLoss<T> loss(rows, {.loss = in_.loss}, dtype, parts_.a_.style(), own);
    loss.run();
    parts_.offer_mutations(kPrefix, own);
    answer.store_output("loss", {1}, loss.loss());
    Numbers<T> grad = parts_.linear_backward(head_, loss.grad(), x, answer.values);
    for (T& element : grad) element *= factor;
    return grad;
  }

  /// Computes the gradient of the embedding. `grad` is the gradient with respect to the input of
  /// the first layer. compute_loss must have been called before.
  void embed_backward(const Numbers<T>& grad, NamedNumbers<T>& gradients) {
    embedding_.backward(in_.tokens, grad, gradients);
    if (!in_.config.tied_head) return;
    const Numbers<T> head_gradient = std::move(gradients.at("grad_head.weight"));
    gradients.erase("grad_head.weight");
    Numbers<T>& both = gradients.at("grad_" + name_);
    const MutationOperator op =
        sites_.any("gradients of the tied weight",
                   {MutationOperator::forget_first, MutationOperator::forget_last});
    const bool scaled = in_.config.scaled_embedding &&
                        sites_.any("sqrt(D) on the head's gradient", {MutationOperator::insert}) ==
                            MutationOperator::insert;
    const T factor = scaled ? adl_sqrt(to_scalar<T>(in_.config.d_model)) : T(1);
    for (std::size_t i = 0; i < both.size(); ++i) {
      if (op == MutationOperator::forget_first) continue;  // error: only the sums over tokens
      const T own = factor * head_gradient[i];
      both[i] = op == MutationOperator::forget_last ? own : both[i] + own;
    }
  }

 private:
  static constexpr const char* kPrefix = "loss: ";

  /// Returns the targets. An injected error can replace them by the targets of the next position,
  /// or by the inputs of the same position.
  std::vector<int> targets() {
    std::vector<int> own = in_.targets;
    switch (sites_.any("targets", {MutationOperator::one_more, MutationOperator::one_less})) {
      case MutationOperator::one_more:
        for (std::size_t i = 0; i + 1 < own.size(); ++i)
          if ((i + 1) % in_.tokens.seq_len != 0) own[i] = in_.targets[i + 1];
        break;
      case MutationOperator::one_less:
        own.assign(in_.tokens.ids.begin(), in_.tokens.ids.end());
        break;
      default:
        break;
    }
    return own;
  }

  PlainEncoderContext<T>& parts_;
  const ref::model::TransformerTensors& in_;
  Sites& sites_;
  std::string name_;
  PlainEmbedding<T> embedding_;
  PlainLinearMap head_;
};

}  // namespace normproof::verification::golden::plain
