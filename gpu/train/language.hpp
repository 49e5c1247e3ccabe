#pragma once

#include "gpu/train/trainer.hpp"

/// Trains a causal language model on a device. With ordered_products the functions have the bits
/// and the error messages of ref/train/language.hpp.
namespace normproof::gpu::train {

/// Pieces of a text (contexts), and the token that the model must predict at each position.
struct TextBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token, or kIgnored
};

/// Returns the mean loss of the batches and its gradient, for one training step.
/// Requires  (C1) the encoder is causal, its pooling is per_position, and it has one class per
///           token  (C2) at least 1 and at most config.accumulation batches  (C3) targets [B T];
///           the preconditions of Encoder and of vocabulary_loss_gradient
/// Throws    ContractError
LossGradient language_gradient(const ref::model::TrainConfig& config,
                               std::span<const TextBatch> batches, const TrainState& state,
                               const nn::Products& products = ops::ordered_products());

/// Runs one training step: language_gradient, then apply_gradient. The predictions of the result
/// are empty.
/// Throws    ContractError; then `state` is unchanged
StepResult language_step(const ref::model::TrainConfig& config, std::span<const TextBatch> batches,
                         TrainState& state, const nn::Products& products = ops::ordered_products());

/// Returns the mean of -log p over all targets of all batches, where p is the probability of the
/// target. It runs in inference mode: running statistics, no dropout, no label smoothing.
/// Throws    ContractError
double language_loss(const ref::model::TrainConfig& config, std::span<const TextBatch> batches,
                     const TrainState& state,
                     const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
