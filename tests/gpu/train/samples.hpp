#pragma once

#include "gpu/train/trainer.hpp"
#include "ref/encoder/encoder.hpp"
#include "ref/train/train_state.hpp"
#include "tests/gpu/device/samples.hpp"

/// Functions that copy the state and the inputs of training between the host and a device.
namespace normproof::gpu::train {

inline TrainState upload_state(Device& device, const ref::train::TrainState<double>& state) {
  TrainState result;
  result.parameters = device::upload(device, state.parameters);
  result.norms = device::upload(device, state.norms);
  result.optimizer.moments = device::upload(device, state.optimizer.moments);
  return result;
}

inline encoder::EncoderInputs upload_inputs(Device& device,
                                            const ref::encoder::EncoderInputs& inputs) {
  return {{inputs.tokens.batch_size, inputs.tokens.seq_len, inputs.tokens.ids},
          device::DeviceMask(device, inputs.valid)};
}

/// Downloads a state and returns its hash, ref::train::state_sha256.
inline std::string host_state_sha256(const TrainState& state) {
  ref::train::TrainState<double> host;
  host.parameters = device::download(state.parameters);
  host.norms = device::download(state.norms);
  return ref::train::state_sha256(host);
}

}  // namespace normproof::gpu::train
