#pragma once

#include <cstdint>

#include "gpu/train/gradients.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::gpu::train {

/// The moments of the optimizer, under the names of ref/train/optimizer.hpp.
struct OptimizerState {
  NamedDeviceTensors moments;
  std::int64_t step = 0;
};

/// Runs one optimizer step in place. Device version with the same formulas and bits as
/// ref/train/optimizer.hpp.
/// Requires  (C1) options as ref/train checks them  (C3) one gradient per parameter, (C4) with the
///           parameter's shape  (C5) finite gradients; for Adam also finite squares  (C6) moments
///           with the names and shapes of initial_optimizer_state
/// Throws    ContractError; then nothing has changed
void optimizer_step(const ref::model::OptimizerOptions& options, double learning_rate,
                    NamedDeviceTensors& parameters, const Gradients& gradients,
                    OptimizerState& state);

/// Runs optimizer_step without the check (C5), because the caller knows that the sum of squares of
/// the gradients is finite. It downloads nothing.
void update_parameters(const ref::model::OptimizerOptions& options, double learning_rate,
                       NamedDeviceTensors& parameters, const Gradients& gradients,
                       OptimizerState& state);

}  // namespace normproof::gpu::train
