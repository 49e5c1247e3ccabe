#include "gpu/device/tensor.hpp"

#include "ref/numeric/errors.hpp"

namespace normproof::gpu::device {

void NamedDeviceTensors::set(std::string_view name, DeviceTensor<double> values) {
  for (auto& entry : entries_) {
    if (entry.first == name) {
      entry.second = std::move(values);
      return;
    }
  }
  entries_.emplace_back(std::string(name), std::move(values));
}

const DeviceTensor<double>* NamedDeviceTensors::find(std::string_view name) const {
  for (const auto& entry : entries_)
    if (entry.first == name) return &entry.second;
  return nullptr;
}

const DeviceTensor<double>& NamedDeviceTensors::at(std::string_view name) const {
  if (const auto* const values = find(name)) return *values;
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& entry : entries_) names.push_back(entry.first);
  throw ref::numeric::ContractError(
      {.observation = ref::numeric::unknown_name("tensor", name, names)});
}

DeviceTensor<double> NamedDeviceTensors::get(std::string_view name) const {
  const auto* const values = find(name);
  return values == nullptr ? DeviceTensor<double>() : *values;
}

NamedDeviceTensors upload(Device& device, const ref::tensor::NamedTensors<double>& from) {
  NamedDeviceTensors result;
  for (const auto& [name, values] : from) result.set(name, upload(device, values));
  return result;
}

ref::tensor::NamedTensors<double> download(const NamedDeviceTensors& from) {
  ref::tensor::NamedTensors<double> result;
  for (const auto& [name, values] : from) result.set(name, download(values));
  return result;
}

}  // namespace normproof::gpu::device
