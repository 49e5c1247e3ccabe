#pragma once

#include <span>
#include <vector>

#include "ref/decoder/decoder.hpp"
#include "ref/train/cross_entropy.hpp"
#include "ref/train/trainer.hpp"

/// Trains a translation model. docs/specification/training.md
namespace normproof::ref::train {

using tensor::Tensor;

/// Pairs of sentences, and the tokens to predict at the positions of the target.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token, or kIgnored
};

/// The model and how it is trained; the encoder of `training` is not used.
struct TranslationConfig {
  model::DecoderConfig model = {};
  model::TrainConfig training = {};
};

/// Returns the parameters and the state of the norms before the first step.
/// Source    docs/specification/training.md
/// Computes  as initial_train_state; norms as their descriptions say
/// Requires  those of decoder::check_decoder
/// Throws    ContractError
TrainState<double> initial_translation_state(const TranslationConfig& config);

/// Returns the gradient for a step.
/// Source    docs/specification/training.md
/// Computes  for each batch the gradient of the mean cross-entropy of its targets, by
///           vocabulary_loss_gradient; then their mean. Dropout and PowerNorm's warm-up are as in
///           loss_gradient. If the head is tied, grad_decoder.embedding is that of the head,
///           plus the sums over the tokens
/// Requires  (C2) and (C3) of language_gradient; those of Decoder
/// Order     that of Decoder and of vocabulary_loss_gradient
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> translation_gradient(const TranslationConfig& config,
                                     std::span<const PairBatch> batches, TrainState<T>& state,
                                     const decoder::Tap<T>& tap = {});

/// Runs one step of training: translation_gradient, then apply_gradient. It returns no
/// predictions.
/// Requires  those of translation_gradient and of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> translation_step(const TranslationConfig& config, std::span<const PairBatch> batches,
                               TrainState<T>& state, const decoder::Tap<T>& tap = {});

/// Returns the loss in inference: with running statistics, and without dropout and label smoothing.
/// Computes  the mean of -log p over the targets of all batches, where p is the probability of the
///           target. Each batch's mean is multiplied by the number of its targets; these are added
///           in order and divided by the sum of the numbers
/// Requires  those of translation_gradient, but any positive number of batches. The parameters are
///           returned unchanged
template <numeric::Real T>
T translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                   TrainState<T>& state);

}  // namespace normproof::ref::train
