#pragma once

#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::train {

using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// The weight of each class. If absent, every weight is 1.
struct ClassWeights {
  ConstReals given;
  NORMPROOF_DEVICE double operator()(std::size_t c) const { return given.given() ? given[c] : 1.0; }
};

/// The rows of a batch that the loss does not ignore, with their targets and the options of the
/// loss.
struct LossRows {
  ConstIndices rows, targets;
  std::size_t classes;
  ClassWeights weights;
  double hard_share;  ///< 1 - s; s is the label smoothing
  double soft_share;  ///< s / C; C is the number of classes
  /// The log-probabilities and their gradient may belong to only a part of the batch; `begin` is
  /// the index in the batch of the first row of this part.
  std::size_t begin;

  /// Returns the index of the first log-probability of row k.
  NORMPROOF_DEVICE std::size_t first(std::size_t k) const { return (rows[k] - begin) * classes; }
};

/// Computes out_k, the class weight of the target of row k.
struct TargetWeight {
  LossRows batch;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t k) const {
    out[k] = batch.weights(batch.targets[k]);
  }
};

/// Computes the loss of row k, l_k = (1-s) (w_t (-logp_t)) + (s/C) sum_c w_c (-logp_c). s is the
/// label smoothing, t the target, w the class weights and C the number of classes. If s = 0, the
/// second term is left out.
struct RowLoss {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  LossRows batch;
  bool smooths;
  ConstReals log_probabilities;
  Reals losses;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t k, std::size_t lane, Totals) const {
    const std::size_t first = batch.first(k);
    return ops::lane_sum(batch.classes, lane, [&](std::size_t c) {
      return batch.weights(c) * -log_probabilities[first + c];
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t k, std::size_t lane, Totals totals) const {
    if (lane != 0) return;
    const std::size_t target = batch.targets[k];
    const double logp = log_probabilities[batch.first(k) + target];
    double loss = batch.hard_share * (batch.weights(target) * -logp);
    if (smooths) loss += batch.soft_share * totals[0];
    losses[k] = loss;
  }
};

/// Computes the mean loss: the sum of the losses divided by the sum of the weights.
struct MeanLoss {
  ConstReals sum, total_weight;  ///< [1]
  Reals loss;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { loss[i] = sum[i] / total_weight[i]; }
};

/// Computes the gradient of the logit of class c in row k: (p_kc Q_k - q_kc) / W with p = exp(logp)
/// and the total weight W. With label smoothing s, target t, class weights w and C classes: Q_k =
/// (1-s) w_t + (s/C) sum_c w_c. q_kc = (s/C) w_c; for the target it is (1-s) w_t + (s/C) w_t.
struct LossGradientElement {
  LossRows batch;
  ConstReals sum_of_weights, total_weight;  ///< [1]
  ConstReals probabilities;
  Reals grad_logits;

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t k = i / batch.classes;
    const std::size_t c = i % batch.classes;
    const std::size_t at = batch.first(k) + c;
    const double hard = batch.hard_share * batch.weights(batch.targets[k]);
    const double whole = hard + batch.soft_share * sum_of_weights[0];
    double share = batch.soft_share * batch.weights(c);
    if (c == batch.targets[k]) share = hard + share;
    grad_logits[at] = (probabilities[at] * whole - share) / total_weight[0];
  }
};

}  // namespace normproof::gpu::train
