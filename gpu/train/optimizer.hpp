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

/// One step in place: ref/train/optimizer.hpp on a device, formulas and bits.
/// Requires  (C1) options as ref/train checks them  (C3) one gradient a parameter, (C4) of its
///           shape  (C5) finite, with Adam with finite squares  (C6) moments as
///           initial_optimizer_state has them
/// Throws    ContractError; then nothing has changed
void optimizer_step(const ref::model::OptimizerOptions& options, double learning_rate,
                    NamedDeviceTensors& parameters, const Gradients& gradients,
                    OptimizerState& state);

/// optimizer_step of gradients whose sum of squares is known to be finite, and with it (C5):
/// nothing is downloaded.
void update_parameters(const ref::model::OptimizerOptions& options, double learning_rate,
                       NamedDeviceTensors& parameters, const Gradients& gradients,
                       OptimizerState& state);

}  // namespace normproof::gpu::train
