#pragma once

#include "gpu/decoder/decoder.hpp"
#include "gpu/train/trainer.hpp"

/// Trains a translation model on a device. With ordered_products the functions have the bits and
/// the error messages of ref/train/translation.hpp.
namespace normproof::gpu::train {

using device::NamedDeviceTensors;
using nn::Products;

/// A batch of sentence pairs, and the token that the model must predict at each target position.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token, or kIgnored
};

/// The options of the model and of its training. The field training.encoder is not used.
struct TranslationConfig {
  ref::model::DecoderConfig model = {};
  ref::model::TrainConfig training = {};
};

/// Returns the mean loss of the batches and its gradient, for one training step.
/// Requires  (C2) and (C3) of language_gradient; the preconditions of Decoder
/// Throws    ContractError
LossGradient translation_gradient(const TranslationConfig& config,
                                  std::span<const PairBatch> batches, const TrainState& state,
                                  const Products& products = ops::ordered_products());

/// Runs one training step: translation_gradient, then apply_gradient. The predictions of the
/// result are empty.
/// Throws    ContractError; then `state` is unchanged
StepResult translation_step(const TranslationConfig& config, std::span<const PairBatch> batches,
                            TrainState& state, const Products& products = ops::ordered_products());

/// Returns the mean of -log p over all targets of all batches, where p is the probability of the
/// target. It runs in inference mode: running statistics, no dropout, no label smoothing.
/// Throws    ContractError
double translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                        const TrainState& state,
                        const Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
