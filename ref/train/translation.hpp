#pragma once

#include <span>
#include <vector>

#include "ref/decoder/decoder.hpp"
#include "ref/train/cross_entropy.hpp"
#include "ref/train/trainer.hpp"

/// Trains a translation model. See docs/specification/training.md.
namespace normproof::ref::train {

using tensor::Tensor;

/// A batch of sentence pairs, and the tokens to predict at the positions of the target.
struct PairBatch {
  decoder::DecoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token of each position, or kIgnored
};

/// The configuration of a translation model and of its training. training.encoder is not used.
struct TranslationConfig {
  model::DecoderConfig model = {};
  model::TrainConfig training = {};
};

/// Returns the initial parameters of a translation model, and the initial running statistics of its
/// norms.
/// Source    docs/specification/training.md
/// Computes  what initial_train_state computes. The initial values of norms are those in
///           model::norm_layers
/// Requires  the requirements of decoder::check_decoder
/// Throws    ContractError
TrainState<double> initial_translation_state(const TranslationConfig& config);

/// Returns the gradient for one step of training.
/// Source    docs/specification/training.md
/// Computes  for each batch, the gradient of the mean cross-entropy of its targets, by
///           vocabulary_loss_gradient. The result is the mean over the batches. Dropout and
///           PowerNorm's warm-up are as in loss_gradient. A tied head uses the target's embedding
///           as its weight; the gradient of the embedding is then the sum of the gradients from its
///           two uses
/// Requires  (C2) and (C3) of language_gradient; the requirements of Decoder
/// Order     the order of Decoder and of vocabulary_loss_gradient
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> translation_gradient(const TranslationConfig& config,
                                     std::span<const PairBatch> batches, TrainState<T>& state,
                                     const decoder::TensorTap<T>& tap = {});

/// Runs one step of training: translation_gradient, then apply_gradient. The result has no
/// predictions.
/// Requires  the requirements of translation_gradient and of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> translation_step(const TranslationConfig& config, std::span<const PairBatch> batches,
                               TrainState<T>& state, const decoder::TensorTap<T>& tap = {});

/// Returns the loss in inference: with running statistics, and without dropout and label smoothing.
/// The parameters in `state` are the same before and after the call.
/// Computes  the mean of -log p over the targets of all batches, where p is the probability that
///           the model gives the target. The mean of each batch is multiplied by the number of its
///           targets; the products are added in order, and the sum is divided by the number of all
///           targets
/// Requires  the requirements of translation_gradient, except that any positive number of batches
///           is allowed
template <numeric::Real T>
T translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                   TrainState<T>& state);

}  // namespace normproof::ref::train
