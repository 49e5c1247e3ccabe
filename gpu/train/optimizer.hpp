#pragma once

#include <cstdint>

#include "gpu/train/gradients.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::gpu::train {

/// Moments under the names of ref/train/optimizer.hpp.
struct OptimizerState {
  NamedDeviceTensors moments;
  std::int64_t step = 0;
};

/// Runs one optimizer step in place. Device version with the same formulas and bits as
/// ref/train/optimizer.hpp.
/// Requires  (C1) options as ref/train checks them  (C3) one gradient per parameter, (C4) of its
///           shape  (C5) finite gradients, with Adam also finite squares  (C6) moments as
///           initial_optimizer_state has them
/// Throws    ContractError; then nothing has changed
void optimizer_step(const ref::model::OptimizerOptions& options, double learning_rate,
                    NamedDeviceTensors& parameters, const Gradients& gradients,
                    OptimizerState& state);

/// Runs optimizer_step for gradients whose sum of squares is known to be finite, so that (C5)
/// holds. Downloads nothing.
void update_parameters(const ref::model::OptimizerOptions& options, double learning_rate,
                       NamedDeviceTensors& parameters, const Gradients& gradients,
                       OptimizerState& state);

}  // namespace normproof::gpu::train
