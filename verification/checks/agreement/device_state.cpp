#include "verification/checks/agreement/device_state.hpp"

namespace normproof::verification::checks::agreement {

using gpu::device::Device;
using gpu::device::download;
using gpu::device::upload;

namespace {

gpu::encoder::EncoderInputs inputs_on_device(Device& device,
                                             const ref::encoder::EncoderInputs& inputs) {
  const ref::nn::Tokens& tokens = inputs.tokens;
  return {{tokens.batch_size, tokens.seq_len, tokens.ids},
          gpu::device::DeviceMask(device, inputs.valid)};
}

}  // namespace

gpu::train::TrainState on_device(Device& device, const ref::train::TrainState<double>& state) {
  gpu::train::TrainState result;
  result.parameters = upload(device, state.parameters);
  result.norms = upload(device, state.norms);
  result.optimizer.moments = upload(device, state.optimizer.moments);
  result.optimizer.step = state.optimizer.step;
  result.step = state.step;
  return result;
}

ref::train::TrainState<double> copy_to_host(const gpu::train::TrainState& state) {
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
  for (const ref::train::LabelledBatch& batch : batches)
    result.push_back({inputs_on_device(device, batch.inputs), batch.labels, batch.targets});
  return result;
}

std::vector<gpu::train::TextBatch> on_device(Device& device,
                                             std::span<const ref::train::TextBatch> batches) {
  std::vector<gpu::train::TextBatch> result;
  result.reserve(batches.size());
  for (const ref::train::TextBatch& batch : batches)
    result.push_back({inputs_on_device(device, batch.inputs), batch.targets});
  return result;
}

std::vector<gpu::train::PairBatch> on_device(Device& device,
                                             std::span<const ref::train::PairBatch> batches) {
  std::vector<gpu::train::PairBatch> result;
  result.reserve(batches.size());
  for (const ref::train::PairBatch& batch : batches)
    result.push_back({{inputs_on_device(device, batch.inputs.source),
                       inputs_on_device(device, batch.inputs.target)},
                      batch.targets});
  return result;
}

ref::train::Gradients<double> copy_to_host(const gpu::train::Gradients& gradients) {
  ref::train::Gradients<double> result;
  result.dense = download(gradients.dense);
  for (const auto& [name, rows] : gradients.rows)
    result.rows.push_back({name, {rows.rows, download(rows.values)}});
  return result;
}

}  // namespace normproof::verification::checks::agreement
