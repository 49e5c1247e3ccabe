#pragma once

#include <fmt/format.h>

#include "ref/train/trainer.hpp"

/// Trains a causal language model: a causal encoder whose head predicts the next token of its
/// vocabulary at each position. See docs/specification/training.md.
namespace normproof::ref::train {

/// A batch of contexts of a text, and the tokens to predict at their positions.
struct TextBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> targets;  ///< [B T]: the next token of each position, or kIgnored
};

/// Checks that the configuration of an encoder is that of a language model.
/// Requires  (C1) it is causal, its pooling is per_position, and it has a class for each token
/// Throws    ContractError that names the field
inline void check_language_model(std::string_view function, const model::EncoderConfig& config) {
  const auto fail = [&](const char* field, const std::string& is, const std::string& expected) {
    numeric::contract_failure(function, field, is, expected, numeric::Clause::C1);
  };
  if (!config.causal) fail("causal", "is false", "true: a language model sees no later token");
  if (config.pooling != model::Pooling::per_position)
    fail("pooling", "is masked_mean", "per_position");
  if (config.num_classes != config.vocab_size)
    fail("num_classes", fmt::format("is {}", config.num_classes),
         fmt::format("vocab_size, {}", config.vocab_size));
}

/// Returns the gradient for one step of training.
/// Computes  for each batch, the gradient of the mean cross-entropy of its targets, by
///           vocabulary_loss_gradient. The result is the mean over the batches. Dropout and
///           PowerNorm's warm-up are as in loss_gradient. A tied head uses the embedding as its
///           weight; the gradient of the embedding is then the sum of the gradients from its two
///           uses
/// Requires  the requirements of Encoder; (C1) of check_language_model
///           (C2) there are 1 to `accumulation` batches
///           (C3) targets has B T elements, each kIgnored or a token, and at least one is a token
/// Order     the order of Encoder and of vocabulary_loss_gradient
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> language_gradient(const model::TrainConfig& config,
                                  std::span<const TextBatch> batches, TrainState<T>& state,
                                  const encoder::TensorTap<T>& tap = {});

/// Runs one step of training: language_gradient, then apply_gradient. The result has no
/// predictions.
/// Requires  the requirements of language_gradient and of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> language_step(const model::TrainConfig& config, std::span<const TextBatch> batches,
                            TrainState<T>& state, const encoder::TensorTap<T>& tap = {});

/// Returns the loss in inference: with running statistics, and without dropout and label smoothing.
/// The parameters in `state` are the same before and after the call.
/// Computes  the mean of -log p over the targets of all batches, where p is the probability that
///           the model gives the target. The mean of each batch is multiplied by the number of its
///           targets; the products are added in order, and the sum is divided by the number of all
///           targets
/// Requires  the requirements of language_gradient, except that any positive number of batches is
///           allowed
template <numeric::Real T>
T language_loss(const model::TrainConfig& config, std::span<const TextBatch> batches,
                TrainState<T>& state);

}  // namespace normproof::ref::train
