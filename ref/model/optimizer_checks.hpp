#pragma once

#include "ref/model/train_options.hpp"

namespace normproof::ref::model {

/// AdamW's options; those of Adam without decay.
AdamWOptions with_decay(const AdamOptions& options);
AdamWOptions with_decay(const AdamWOptions& options);

/// Requires  (C1) 0 <= beta1, beta2 < 1; eps > 0; momentum and weight_decay >= 0
/// Throws    ContractError of optimizer_step
void check_optimizer(const OptimizerOptions& options);

/// Requires  (C2) learning_rate >= 0
/// Throws    ContractError of optimizer_step
void check_learning_rate(double learning_rate);

}  // namespace normproof::ref::model
