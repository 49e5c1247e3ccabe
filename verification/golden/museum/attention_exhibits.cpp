#include <cmath>

#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/museum/kernel_case.hpp"
#include "verification/golden/plain/plain_encoder_layer.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::museum {

namespace model = ref::model;
using mutations::Mutation;
using mutations::MutationOperator;

namespace {

using Answer = std::vector<StoredTensor>;
using Parts = plain::PlainEncoderContext<double>;
using Named = plain::NamedNumbers<double>;

/// The errors that can be injected into an attention layer. The default values inject none.
struct AttentionErrors {
  /// Keys are padded to a multiple of this number, and the softmax includes the padding.
  std::size_t block = 1;
  double filling = 0;  ///< the attention score of the padding
  /// Whether the backward pass exchanges heads and tokens when it reads keys and values.
  bool transposed_in_backward = false;
  /// Whether a pre-norm layer adds the gradient of its residual before the backward pass of the
  /// norm instead of after it.
  bool residual_through_norm = false;
};

/// Multi-head attention, forward and backward. The features of a head are contiguous.
class Attention {
 public:
  Attention(Parts& parts, const AttentionErrors& wrong)
      : parts_(parts),
        wrong_(wrong),
        heads_(parts.in_.config.num_heads),
        width_(parts.in_.config.d_model),
        d_k_(width_ / heads_),
        scale_(1 / std::sqrt(static_cast<double>(d_k_))) {}

  Values forward(const Values& x) {
    qkv_ = parts_.linear(input_map(), x);
    weights_.assign(parts_.samples_ * heads_ * tokens() * tokens(), 0);
    for_each_query([&](std::size_t b, std::size_t h, std::size_t i) { attend(b, h, i); });
    dropped_ = parts_.apply_dropout("attention.weights", weights_);
    context_.assign(x.size(), 0);
    for_each_query([&](std::size_t b, std::size_t h, std::size_t i) {
      for (std::size_t j = 0; j < tokens(); ++j)
        for (std::size_t k = 0; k < d_k_; ++k)
          context_[place(b, h, i, k)] += dropped_[weight(b, h, i, j)] * qkv_[part(2, b, h, j, k)];
    });
    return parts_.linear(output_map(), context_);
  }

  const Values& weights() const { return weights_; }

  Values backward(const Values& dy, const Values& x, Named& gradients) {
    const Values grad = parts_.linear_backward(output_map(), dy, context_, gradients);
    Values grad_weights(weights_.size()), grad_qkv(qkv_.size(), 0);
    for_each_query([&](std::size_t b, std::size_t h, std::size_t i) {
      for (std::size_t j = 0; j < tokens(); ++j)
        for (std::size_t k = 0; k < d_k_; ++k)
          grad_weights[weight(b, h, i, j)] += grad[place(b, h, i, k)] * qkv_[read(2, b, h, j, k)];
    });
    grad_weights = parts_.apply_dropout("attention.weights", grad_weights, true);
    for_each_query([&](std::size_t b, std::size_t h, std::size_t i) {
      double mean = 0;
      for (std::size_t j = 0; j < tokens(); ++j)
        mean += grad_weights[weight(b, h, i, j)] * weights_[weight(b, h, i, j)];
      for (std::size_t j = 0; j < tokens(); ++j) {
        const std::size_t at = weight(b, h, i, j);
        const double score = scale_ * weights_[at] * (grad_weights[at] - mean);
        for (std::size_t k = 0; k < d_k_; ++k) {
          grad_qkv[part(0, b, h, i, k)] += score * qkv_[read(1, b, h, j, k)];
          grad_qkv[part(1, b, h, j, k)] += score * qkv_[part(0, b, h, i, k)];
          grad_qkv[part(2, b, h, j, k)] += dropped_[at] * grad[place(b, h, i, k)];
        }
      }
    });
    return parts_.linear_backward(input_map(), grad_qkv, x, gradients);
  }

 private:
  plain::PlainLinearMap input_map() const {
    return {"attention.in", "attention.in", width_, 3 * width_};
  }
  plain::PlainLinearMap output_map() const {
    return {"attention.out", "attention.out", width_, width_};
  }
  std::size_t tokens() const { return parts_.tokens_; }
  std::size_t place(std::size_t b, std::size_t h, std::size_t i, std::size_t k) const {
    return (b * tokens() + i) * width_ + h * d_k_ + k;
  }
  std::size_t part(std::size_t number, std::size_t b, std::size_t h, std::size_t i,
                   std::size_t k) const {
    return (b * tokens() + i) * 3 * width_ + number * width_ + h * d_k_ + k;
  }
  /// Returns the index at which the backward pass reads an element of the keys or values.
  std::size_t read(std::size_t number, std::size_t b, std::size_t h, std::size_t i,
                   std::size_t k) const {
    if (!wrong_.transposed_in_backward) return part(number, b, h, i, k);
    const std::size_t flat = h * tokens() + i;
    return part(number, b, flat % heads_, flat / heads_, k);
  }
  std::size_t weight(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return ((b * heads_ + h) * tokens() + i) * tokens() + j;
  }

  template <class F>
  void for_each_query(F f) const {
    for (std::size_t b = 0; b < parts_.samples_; ++b)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t i = 0; i < tokens(); ++i) f(b, h, i);
  }

  bool can_attend(std::size_t b, std::size_t i, std::size_t j) const {
    return parts_.valid_[b * tokens() + j] && (j <= i || !parts_.in_.config.causal);
  }

  /// Computes the attention weights of one query: the softmax over the keys that it may attend to.
  void attend(std::size_t b, std::size_t h, std::size_t i) {
    Values scores;
    double largest = -INFINITY, sum = 0;
    for (std::size_t j = 0; j < tokens(); ++j) {
      scores.push_back(can_attend(b, i, j) ? 0 : -INFINITY);
      for (std::size_t k = 0; k < d_k_; ++k)
        scores[j] += scale_ * qkv_[part(0, b, h, i, k)] * qkv_[part(1, b, h, j, k)];
      largest = std::max(largest, scores[j]);
    }
    const std::size_t filled = (wrong_.block - tokens() % wrong_.block) % wrong_.block;
    if (filled > 0) largest = std::max(largest, wrong_.filling);
    if (largest == -INFINITY) return;
    for (const double score : scores) sum += std::exp(score - largest);
    sum += static_cast<double>(filled) * std::exp(wrong_.filling - largest);
    for (std::size_t j = 0; j < tokens(); ++j)
      weights_[weight(b, h, i, j)] = std::exp(scores[j] - largest) / sum;
  }

  Parts& parts_;
  const AttentionErrors& wrong_;
  std::size_t heads_, width_, d_k_;
  double scale_;
  Values qkv_, weights_, dropped_, context_;
};

Values add_elements(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

/// An encoder layer with two sublayers, each with a norm and a residual. Its attention may have
/// injected errors.
class ExhibitLayer {
 public:
  ExhibitLayer(Parts& parts, const AttentionErrors& wrong)
      : parts_(parts),
        wrong_(wrong),
        attention_(parts, wrong),
        feed_forward_(parts, ""),
        post_(parts.in_.config.placement == model::NormPlacement::post) {}

  Values forward(const Values& x) {
    const Values h = sublayer(first_, x, [&](const Values& v) { return attention_.forward(v); });
    return sublayer(second_, h, [&](const Values& v) { return feed_forward_.forward(v); });
  }
  const Values& weights() const { return attention_.weights(); }

  Values backward(const Values& dy, Named& gradients) {
    const Values grad = back(second_, dy, gradients, [&](const Values& g, const Values& v) {
      return feed_forward_.backward(g, v, gradients);
    });
    return back(first_, grad, gradients, [&](const Values& g, const Values& v) {
      return attention_.backward(g, v, gradients);
    });
  }

 private:
  struct Sublayer {
    const char *norm, *dropout;
    Values taken = {}, normed = {};
  };

  template <class F>
  Values sublayer(Sublayer& own, const Values& x, F f) {
    own.taken = post_ ? x : parts_.norm(own.norm, x, {})["y"];
    Values sum = add_elements(parts_.apply_dropout(own.dropout, f(own.taken)), x);
    own.normed = post_ ? sum : x;
    return post_ ? parts_.norm(own.norm, sum, {})["y"] : sum;
  }

  template <class F>
  Values back(Sublayer& own, const Values& dy, Named& gradients, F f) {
    const auto through_norm = [&](const Values& g) {
      const Named results = parts_.norm(own.norm, own.normed, g);
      plain::copy_norm_results(own.norm, results, gradients);
      return results.at("grad_x");
    };
    const Values at_the_sum = post_ ? through_norm(dy) : dy;
    const Values taken = f(parts_.apply_dropout(own.dropout, at_the_sum, true), own.taken);
    if (post_) return add_elements(taken, at_the_sum);
    return wrong_.residual_through_norm ? through_norm(add_elements(taken, dy))
                                        : add_elements(through_norm(taken), dy);
  }

  Parts& parts_;
  const AttentionErrors& wrong_;
  Attention attention_;
  plain::PlainFeedForward<double> feed_forward_;
  bool post_;
  Sublayer first_{"norm1", "attention.y"}, second_{"norm2", "feed_forward.y"};
};

Answer run_layer(const Case& c, const AttentionErrors& wrong) {
  KernelCase work(c);
  const ref::model::OperationInputs inputs = recipes::inputs_of(c);
  mutations::Sites sites;
  Parts parts(inputs.encoder, {}, sites);
  parts.set_rows(work.shape().samples, work.shape().tokens);
  ExhibitLayer layer(parts, wrong);
  Named answer;
  answer["y"] = layer.forward(parts.given("x"));
  answer["attention.weights"] = layer.weights();
  answer["grad_x"] = layer.backward(parts.given("grad_y"), answer);
  for (auto& [name, values] : answer)
    if (work.has_output(name)) work.out(name) = std::move(values);
  return work.answer();
}
Kernel encoder_layer_with_errors(const AttentionErrors& wrong) {
  return [wrong](const Case& c, const KernelEnvironment& device) {
    AttentionErrors own = wrong;
    own.filling = device.uninitialized_value;
    return run_layer(c, own);
  };
}
Kernel mutated(const Mutation& mutation) {
  return [mutation](const Case& c, const KernelEnvironment&) {
    return run_with_mutation(c, mutation);
  };
}

}  // namespace

std::vector<Exhibit> attention_exhibits() {
  constexpr const char *kOp = "encoder_layer", *kAttention = "attention";
  return {
      {"partial_block_of_keys", "hw-native-sys/simpler#72",
       "the last block of keys is filled up, and the softmax counts what fills it",
       "lengths that the block does not divide", kOp, std::nullopt,
       encoder_layer_with_errors({.block = 16})},
      {"transposed_twice", "huggingface/diffusers#14341",
       "the backward exchanges heads and tokens of keys and values once more",
       "gradients of attention", kOp, std::nullopt,
       encoder_layer_with_errors({.transposed_in_backward = true})},
      {"residual_through_the_norm", "Dao-AILab/quack#53",
       "the gradient of the residual is added before the backward of the norm, not behind it",
       "the gradient with a residual", kOp, std::nullopt,
       encoder_layer_with_errors({.residual_through_norm = true})},
      {"mask_inverted", "InseeFrLab/torchTextClassifiers#92",
       "the mask of padding goes to a function that takes it the other way round", kUnknownGap, kOp,
       std::nullopt, mutated({"mask of the keys", MutationOperator::invert_mask})},
      {"padding_attended_to", "jingyaogong/minimind-v#76",
       "padding is left out of the loss alone: attention takes it for tokens", kUnknownGap, kOp,
       std::nullopt, mutated({"mask of the keys", MutationOperator::ignore_mask})},
      {"weights_after_dropout", "aws-neuron/nki-samples#81",
       "the backward of the softmax takes the weights behind dropout", kUnknownGap, kOp,
       std::nullopt,
       mutated({"weights after dropout in the backward of the softmax", MutationOperator::other})},
      {"window_with_one_key_more", "zml/zml#763",
       "the kernel counts the own key beside the window, and gets the window with it",
       "a window that is set: the test had the value that stands for none", kAttention,
       std::nullopt, mutated({"every window of earlier keys", MutationOperator::one_more})},
      {"window_without_the_own_key", "microsoft/onnxruntime#25927",
       "the window is said to hold the own key, and the kernel takes one key more",
       "a comparison with the model that the operation is for", kAttention, std::nullopt,
       mutated({"window of earlier keys", MutationOperator::one_more})},
      {"causal_mask_from_the_first_key", "microsoft/onnxruntime#29020",
       "one device aligns the causal mask with the first key, and the other with the last",
       "fewer queries than keys without a cache", kAttention, std::nullopt,
       mutated({"causal mask", MutationOperator::other})},
      {"causal_mask_from_the_last_key", "microsoft/onnxruntime#29050",
       "the causal mask is aligned with the last key, where the operation says the first",
       "fewer queries than keys without a cache", kAttention, std::nullopt,
       mutated({"causal mask", MutationOperator::inverted})},
      {"cap_after_the_mask", "onnx/onnx#7867",
       "the mask adds minus infinity before the cap, which makes it minus the cap", kUnknownGap,
       kAttention, std::nullopt, mutated({"soft cap and mask", MutationOperator::reversed})},
      {"cap_after_the_mask_on_the_processor", "microsoft/onnxruntime#28379",
       "one device adds the mask before the cap, and the other behind it",
       "a mask and a cap in one test", kAttention, std::nullopt,
       mutated({"soft cap and mask", MutationOperator::reversed})},
      {"cap_not_applied", "sgl-project/sglang#33915",
       "the cap goes to a function that ignores it: the kernel was chosen before without one",
       "a comparison of backends with a cap", kAttention, std::nullopt,
       mutated({"soft cap", MutationOperator::drop})},
      {"bias_of_the_first_query", "google-research/tabfm#40",
       "a chunk of queries reads one row of the bias, that of its first query",
       "a bias that differs from query to query", kAttention, std::nullopt,
       mutated({"query of the bias", MutationOperator::other})},
      {"bias_with_the_wrong_sign", "meta-pytorch/attention-gym#86",
       "the bias of ALiBi is the distance of the query from the key, and not its negative",
       kUnknownGap, kAttention, std::nullopt,
       mutated({"bias of the scores", MutationOperator::negate})},
      {"bias_before_the_scale", "NVIDIA/TensorRT-Model-Connect#32",
       "one implementation adds the bias of ALiBi before the scale, and the other behind it",
       "a model with this bias", kAttention, std::nullopt,
       mutated({"bias of the scores", MutationOperator::square})},
      {"bias_dropped", "bledden/triton-msl#7",
       "the bias is lost when the tiles divide the length and it is folded into the product",
       "a length that the tiles divide", kAttention, std::nullopt,
       mutated({"bias of the scores", MutationOperator::drop})},
      {"sink_ignored", "NVIDIA/TransformerEngine#3551",
       "one path does not pass the sinks on: the output has none, and their gradient is 0",
       "sinks that are far from 0", kAttention, std::nullopt,
       mutated({"sink", MutationOperator::drop})},
      {"sink_in_two_splits", "ROCm/rocm-libraries#12227",
       "the sink enters the sum of exponentials twice if the first part of the keys is empty",
       "a window that leaves parts of the keys empty", kAttention, std::nullopt,
       mutated({"sink in the sum", MutationOperator::twice})},
      {"sink_in_another_base", "ROCm/rocm-libraries#12229",
       "the scores are prepared for exp2, and one of the kernels does not prepare the sink",
       kUnknownGap, kAttention, std::nullopt,
       mutated({"base of the sink", MutationOperator::drop})},
      {"sink_of_another_head", "modular/modular#6591",
       "the row of the query modulo H is taken for its head, which holds for one query alone",
       "more than one query", kAttention, std::nullopt,
       mutated({"heads of the sinks", MutationOperator::transposed})},
      {"sink_above_the_maximum", "Dao-AILab/flash-attention#2752",
       "the sink is no part of the maximum, so that its exponential overflows", "a sink of 100",
       kAttention, std::nullopt, mutated({"sink in the largest score", MutationOperator::drop})},
  };
}

}  // namespace normproof::verification::golden::museum
