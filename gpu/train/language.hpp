#pragma once

#include "gpu/train/trainer.hpp"

/// Training of a causal language model on a device. With ordered_products what follows has the bits
/// of ref/train/language.hpp, and its sentences.
namespace normproof::gpu::train {

/// Contexts of a text, and what each of their positions is to predict.
struct TextBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the token that follows, or kIgnored
};

/// The gradient that a step takes.
/// Requires  (C1) the encoder is causal, its pooling is per_position, and it has a class for each
///           token  (C2) 1 to accumulation batches  (C3) targets [B T]; those of Encoder and of
///           vocabulary_loss_gradient
/// Throws    ContractError
LossGradient language_gradient(const ref::model::TrainConfig& config,
                               std::span<const TextBatch> batches, const TrainState& state,
                               const nn::Products& products = ops::ordered_products());

/// One step of training: language_gradient, then take_gradient. Predictions are none.
/// Throws    ContractError; then `state` is as before
StepResult language_step(const ref::model::TrainConfig& config, std::span<const TextBatch> batches,
                         TrainState& state, const nn::Products& products = ops::ordered_products());

/// Inference: running statistics, no dropout, no label smoothing. The mean of -log p over the
/// targets of all batches.
/// Throws    ContractError
double language_loss(const ref::model::TrainConfig& config, std::span<const TextBatch> batches,
                     const TrainState& state,
                     const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
