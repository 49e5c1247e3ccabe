#pragma once

#include "ref/model/train_options.hpp"

namespace normproof::ref::model {

/// Convert the options of Adam or AdamW to options of AdamW. For Adam, the weight decay is 0.
AdamWOptions convert_to_adamw_options(const AdamOptions& options);
AdamWOptions convert_to_adamw_options(const AdamWOptions& options);

/// Checks the options of an optimizer.
/// Requires  (C1) beta1 and beta2 are at least 0 and below 1, eps > 0, and momentum and
///           weight_decay are >= 0
/// Throws    ContractError that names optimizer_step
void check_optimizer(const OptimizerOptions& options);

/// Checks the learning rate.
/// Requires  (C2) learning_rate >= 0
/// Throws    ContractError that names optimizer_step
void check_learning_rate(double learning_rate);

}  // namespace normproof::ref::model
