#pragma once

#include <cstdint>

#include "ref/model/train_options.hpp"

namespace normproof::ref::train {

/// Returns the learning rate of step t = 1, 2, ... In the formulas, w is warmup_steps.
/// Source    docs/specification/training.md; inverse square root: [VSP+17], section 5.3, which has
///           base_rate = 1 / sqrt(d_model w)
/// Computes  constant              base_rate
///           linear warm-up        base_rate (t/w) for t < w, then base_rate
///           inverse square root   base_rate (t/w) for t < w, then base_rate sqrt(w/t)
/// Requires  (C1) base_rate is finite and >= 0  (C2) 1 <= t <= 2^53
///           (C3) 0 <= w <= 2^53, and w >= 1 for the inverse square root
/// Order     docs/specification/determinism.md, rule R4, in the order written: two or three
///           roundings
/// Throws    ContractError
double learning_rate(const model::ScheduleOptions& options, double base_rate, std::int64_t step);

}  // namespace normproof::ref::train
