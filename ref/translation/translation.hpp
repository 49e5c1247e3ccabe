#pragma once

#include <span>
#include <vector>

#include "ref/decoder/decoder.hpp"
#include "ref/train/cross_entropy.hpp"
#include "ref/train/trainer.hpp"

/// Training of a model that translates. docs/specification/training.md
namespace normproof::ref::translation {

using tensor::Tensor;
using train::TrainState;

/// Pairs of sentences, and what each position of the target is to predict.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the token that follows, or train::kIgnored
};

/// What is trained, and how; of `training` the encoder is not looked at.
struct TranslationConfig {
  model::DecoderConfig model = {};
  model::TrainConfig training = {};
};

/// Parameters and norms before the first step.
/// Source    docs/specification/training.md
/// Computes  as train::initial_train_state; norms as their descriptions say
/// Requires  those of decoder::check_decoder
/// Throws    ContractError
TrainState<double> initial_state(const TranslationConfig& config);

/// The gradient that a step takes.
/// Source    docs/specification/training.md
/// Computes  for each batch the gradient of the mean cross-entropy of its targets, by
///           vocabulary_loss_gradient; their mean, dropout and PowerNorm's warm-up as
///           train::loss_gradient has them. Where the head is tied, grad_decoder.embedding is that
///           of the head, to which the sums over the tokens are added
/// Requires  (C2) and (C3) of train::language_gradient; those of Decoder
/// Order     that of Decoder and of vocabulary_loss_gradient
/// Throws    ContractError
template <numeric::Real T>
train::LossGradient<T> translation_gradient(const TranslationConfig& config,
                                            std::span<const PairBatch> batches,
                                            TrainState<T>& state, const decoder::Tap<T>& tap = {});

/// One step of training: translation_gradient, then train::apply_gradient. Predictions are none.
/// Requires  those of translation_gradient and of the optimizer
/// Throws    ContractError; then `state` is as before
template <numeric::Real T>
train::StepResult<T> translation_step(const TranslationConfig& config,
                                      std::span<const PairBatch> batches, TrainState<T>& state,
                                      const decoder::Tap<T>& tap = {});

/// Inference: running statistics, no dropout, no label smoothing.
/// Computes  the mean of -log p over the targets of all batches, p the probability of the target:
///           the batches' means, each times the number of its targets, added in their order, over
///           the sum of these numbers
/// Requires  those of translation_gradient, but any number of batches from one on; the parameters
///           are given back as they were
template <numeric::Real T>
T translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                   TrainState<T>& state);

}  // namespace normproof::ref::translation
