#pragma once

#include "gpu/decoder/decoder.hpp"
#include "gpu/train/trainer.hpp"

/// Training of a model that translates, on a device. With ordered_products what follows has the
/// bits of ref/translation/translation.hpp, and its sentences.
namespace normproof::gpu::translation {

using device::NamedDeviceTensors;
using nn::Products;
using train::TrainState;

/// Pairs of sentences, and what each position of the target is to predict.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the token that follows, or train::kIgnored
};

/// What is trained, and how; of `training` the encoder is not looked at.
struct TranslationConfig {
  ref::model::DecoderConfig model = {};
  ref::model::TrainConfig training = {};
};

/// The gradient that a step takes.
/// Requires  (C2) and (C3) of train::language_gradient; those of Decoder
/// Throws    ContractError
train::LossGradient translation_gradient(const TranslationConfig& config,
                                         std::span<const PairBatch> batches,
                                         const TrainState& state,
                                         const Products& products = ops::ordered_products());

/// One step of training: translation_gradient, then train::take_gradient. Predictions are none.
/// Throws    ContractError; then `state` is as before
train::StepResult translation_step(const TranslationConfig& config,
                                   std::span<const PairBatch> batches, TrainState& state,
                                   const Products& products = ops::ordered_products());

/// Inference: running statistics, no dropout, no label smoothing. The mean of -log p over the
/// targets of all batches.
/// Throws    ContractError
double translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                        const TrainState& state,
                        const Products& products = ops::ordered_products());

}  // namespace normproof::gpu::translation
