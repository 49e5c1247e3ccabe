#pragma once

#include "gpu/nn/linear.hpp"
#include "gpu/train/cross_entropy.hpp"

namespace normproof::gpu::train {

struct VocabularyLoss {
  DeviceTensor<double> loss;    ///< [1]
  DeviceTensor<double> grad_x;  ///< [N,D]
  nn::Linear head;              ///< grad_weight [V,D], grad_bias [V]
};

/// ref/train/vocabulary_loss.hpp on a device: formulas, requirements, sentences, and with
/// ordered_products bits. The logits of block_rows rows at a time are in its memory; of 0 those of
/// as many rows as make them about 16 MiB.
/// Throws    ContractError
VocabularyLoss vocabulary_loss_gradient(const DeviceTensor<double>& x, const nn::Linear& head,
                                        const std::vector<int>& targets,
                                        const ref::model::LossOptions& options = {},
                                        std::size_t block_rows = 0,
                                        const nn::Products& products = ops::ordered_products());

/// The loss alone, [1], with the same bits.
DeviceTensor<double> vocabulary_loss(const DeviceTensor<double>& x, const nn::Linear& head,
                                     const std::vector<int>& targets,
                                     const ref::model::LossOptions& options = {},
                                     std::size_t block_rows = 0,
                                     const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
