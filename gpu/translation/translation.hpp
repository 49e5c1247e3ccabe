#pragma once

#include "gpu/decoder/decoder.hpp"
#include "gpu/train/trainer.hpp"

/// Trains a translation model on a device. With ordered_products the functions have the bits and
/// the error messages of ref/translation/translation.hpp.
namespace normproof::gpu::translation {

using device::NamedDeviceTensors;
using nn::Products;
using train::TrainState;

/// Pairs of sentences, and the token that each target position is to predict.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token, or train::kIgnored
};

/// The model to train and the training options; training.encoder is ignored.
struct TranslationConfig {
  ref::model::DecoderConfig model = {};
  ref::model::TrainConfig training = {};
};

/// Returns the gradient of one step.
/// Requires  (C2) and (C3) of train::language_gradient; the preconditions of Decoder
/// Throws    ContractError
train::LossGradient translation_gradient(const TranslationConfig& config,
                                         std::span<const PairBatch> batches,
                                         const TrainState& state,
                                         const Products& products = ops::ordered_products());

/// Runs one training step: translation_gradient, then train::apply_gradient. The result has no
/// predictions.
/// Throws    ContractError; then `state` is unchanged
train::StepResult translation_step(const TranslationConfig& config,
                                   std::span<const PairBatch> batches, TrainState& state,
                                   const Products& products = ops::ordered_products());

/// Returns the mean of -log p over the targets of all batches, in inference mode: running
/// statistics, no dropout, no label smoothing.
/// Throws    ContractError
double translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                        const TrainState& state,
                        const Products& products = ops::ordered_products());

}  // namespace normproof::gpu::translation
