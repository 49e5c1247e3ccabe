#pragma once

#include "gpu/decoder/decoder.hpp"
#include "gpu/train/trainer.hpp"

/// Trains a translation model on a device. With ordered_products the functions have the bits and
/// the error messages of ref/train/translation.hpp.
namespace normproof::gpu::train {

using device::NamedDeviceTensors;
using nn::Products;

/// Pairs of sentences, and the token that each target position is to predict.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token, or kIgnored
};

/// The model to train and the training options; training.encoder is ignored.
struct TranslationConfig {
  ref::model::DecoderConfig model = {};
  ref::model::TrainConfig training = {};
};

/// Returns the gradient of one step.
/// Requires  (C2) and (C3) of language_gradient; the preconditions of Decoder
/// Throws    ContractError
LossGradient translation_gradient(const TranslationConfig& config,
                                  std::span<const PairBatch> batches, const TrainState& state,
                                  const Products& products = ops::ordered_products());

/// Runs one training step: translation_gradient, then apply_gradient. The result has no
/// predictions.
/// Throws    ContractError; then `state` is unchanged
StepResult translation_step(const TranslationConfig& config, std::span<const PairBatch> batches,
                            TrainState& state, const Products& products = ops::ordered_products());

/// Returns the mean of -log p over the targets of all batches, in inference mode: running
/// statistics, no dropout, no label smoothing.
/// Throws    ContractError
double translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                        const TrainState& state,
                        const Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
