#pragma once

#include <fmt/format.h>

#include "ref/train/trainer.hpp"

/// Training of a causal language model: an encoder that is causal, with a head over its vocabulary
/// at each position. docs/specification/training.md
namespace normproof::ref::train {

/// Contexts of a text, and what each of their positions is to predict.
struct TextBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the token that follows, or kIgnored
};

/// Checks    that an encoder is a language model
/// Requires  (C1) it is causal, its pooling is per_position, and it has a class for each token
/// Throws    ContractError naming the field
inline void check_language_model(std::string_view function, const model::EncoderConfig& config) {
  const auto refuse = [&](const char* field, const std::string& is, const std::string& expected) {
    numeric::contract_failure(function, field, is, expected, numeric::Clause::C1);
  };
  if (!config.causal) refuse("causal", "is false", "true: a language model sees no later token");
  if (config.pooling != model::Pooling::per_position)
    refuse("pooling", "is masked_mean", "per_position");
  if (config.num_classes != config.vocab_size)
    refuse("num_classes", fmt::format("is {}", config.num_classes),
           fmt::format("vocab_size, {}", config.vocab_size));
}

/// The gradient that a step takes.
/// Computes  for each batch the gradient of the mean cross-entropy of its targets, by
///           vocabulary_loss_gradient; their mean, dropout and PowerNorm's warm-up as loss_gradient
///           has them. Where the head is tied, grad_embedding is that of the head, to which the
///           sums over the tokens are added
/// Requires  (C1) of check_language_model  (C2) 1 to accumulation batches  (C3) targets [B T], each
///           kIgnored or a token, one at least a token; those of Encoder
/// Order     that of Encoder and of vocabulary_loss_gradient
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> language_gradient(const model::TrainConfig& config,
                                  std::span<const TextBatch> batches, TrainState<T>& state,
                                  const encoder::Tap<T>& tap = {});

/// One step of training: language_gradient, then apply_gradient. Predictions are none.
/// Requires  those of language_gradient and of the optimizer
/// Throws    ContractError; then `state` is as before
template <numeric::Real T>
StepResult<T> language_step(const model::TrainConfig& config, std::span<const TextBatch> batches,
                            TrainState<T>& state, const encoder::Tap<T>& tap = {});

/// Inference: running statistics, no dropout, no label smoothing.
/// Computes  the mean of -log p over the targets of all batches, p the probability of the target:
///           the batches' means, each times the number of its targets, added in their order, over
///           the sum of these numbers
/// Requires  those of language_gradient, but any number of batches from one on; the parameters are
///           given back as they were
template <numeric::Real T>
T language_loss(const model::TrainConfig& config, std::span<const TextBatch> batches,
                TrainState<T>& state);

}  // namespace normproof::ref::train
