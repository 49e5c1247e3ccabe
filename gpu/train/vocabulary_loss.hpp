#pragma once

#include "gpu/nn/linear.hpp"
#include "gpu/train/cross_entropy.hpp"

namespace normproof::gpu::train {

struct VocabularyLoss {
  DeviceTensor<double> loss;    ///< [1]
  DeviceTensor<double> grad_x;  ///< [N,D]
  nn::Linear head;              ///< grad_weight [V,D], grad_bias [V]
};

/// Device version with the same formulas, preconditions and error messages as
/// ref/train/vocabulary_loss.hpp. With ordered_products it also gives the same bits. Device memory
/// holds the logits of only block_rows rows at a time. If block_rows is 0, the function chooses it
/// such that these logits take about 16 MiB.
/// Throws    ContractError
VocabularyLoss vocabulary_loss_gradient(const DeviceTensor<double>& x, const nn::Linear& head,
                                        const std::vector<int>& targets,
                                        const ref::model::LossOptions& options = {},
                                        std::size_t block_rows = 0,
                                        const nn::Products& products = ops::ordered_products());

/// Returns only the loss [1], with the same bits as the loss that vocabulary_loss_gradient returns.
DeviceTensor<double> vocabulary_loss(const DeviceTensor<double>& x, const nn::Linear& head,
                                     const std::vector<int>& targets,
                                     const ref::model::LossOptions& options = {},
                                     std::size_t block_rows = 0,
                                     const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
