#include "verification/agreement/device_state.hpp"

namespace normproof::verification::agreement {

using gpu::device::Device;
using gpu::device::download;
using gpu::device::upload;

gpu::train::TrainState on_device(Device& device, const ref::train::TrainState<double>& state) {
  gpu::train::TrainState result;
  result.parameters = upload(device, state.parameters);
  result.norms = upload(device, state.norms);
  result.optimizer.moments = upload(device, state.optimizer.moments);
  result.optimizer.step = state.optimizer.step;
  result.step = state.step;
  return result;
}

ref::train::TrainState<double> on_host(const gpu::train::TrainState& state) {
  ref::train::TrainState<double> result;
  result.parameters = download(state.parameters);
  result.norms = download(state.norms);
  result.optimizer.moments = download(state.optimizer.moments);
  result.optimizer.step = state.optimizer.step;
  result.step = state.step;
  return result;
}

std::vector<gpu::train::LabelledBatch> on_device(
    Device& device, std::span<const ref::train::LabelledBatch> batches) {
  std::vector<gpu::train::LabelledBatch> result;
  result.reserve(batches.size());
  for (const ref::train::LabelledBatch& batch : batches) {
    const ref::nn::Tokens& tokens = batch.inputs.tokens;
    result.push_back({{{tokens.batch_size, tokens.seq_len, tokens.ids},
                       gpu::device::DeviceMask(device, batch.inputs.valid)},
                      batch.labels,
                      batch.targets});
  }
  return result;
}

ref::train::Gradients<double> on_host(const gpu::train::Gradients& gradients) {
  ref::train::Gradients<double> result;
  result.dense = download(gradients.dense);
  for (const auto& [name, rows] : gradients.rows)
    result.rows.push_back({name, {rows.rows, download(rows.values)}});
  return result;
}

}  // namespace normproof::verification::agreement
