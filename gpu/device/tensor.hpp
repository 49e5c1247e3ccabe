#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/span.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::gpu::device {

using ref::tensor::Mask;
using ref::tensor::Shape;
using ref::tensor::Tensor;

/// A dense row-major tensor in device memory. A copy is a second handle to the same memory. This is
/// safe, because no function writes to a tensor that it takes as const, and no function keeps a
/// tensor that it writes to.
template <class T>
class DeviceTensor {
 public:
  DeviceTensor() = default;
  /// Allocates a tensor without initializing its elements.
  DeviceTensor(Device& device, Shape shape) : device_(&device), shape_(std::move(shape)) {
    size_ = 1;
    for (const std::size_t extent : shape_) size_ *= extent;
    if (size_ == 0) return;
    block_ = std::make_shared<Block>(device, size_ * sizeof(T));
  }

  /// Returns the device that holds the elements.
  /// Requires  the tensor is not {}
  Device& device() const { return *device_; }
  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  bool is_given() const { return size_ > 0; }

  /// Returns a view for reading and writing.
  Span<T> span() {
    if (block_) block_->known_value.reset();
    return {data(), size_};
  }
  Span<const T> span() const { return {data(), size_}; }

  /// Returns the element of a one-element tensor if the host knows it, so that no download is
  /// needed. The host knows the element if it was uploaded and the tensor was not written to since
  /// then.
  std::optional<T> known_value() const { return block_ ? block_->known_value : std::nullopt; }
  void upload(const T* from) {
    device_->upload(data(), from, size_ * sizeof(T));
    if (size_ == 1) block_->known_value = *from;
  }

  /// Returns a handle to the same elements with another shape.
  DeviceTensor reshaped(const Shape& shape) const {
    DeviceTensor result = *this;
    result.shape_ = shape;
    return result;
  }

 private:
  struct Block {
    Block(Device& of, std::size_t bytes) : device(of), memory(of.allocate(bytes)) {}
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() { device.release(memory); }

    Device& device;
    void* memory;
    std::optional<T> known_value;
  };

  T* data() const { return block_ ? static_cast<T*>(block_->memory) : nullptr; }

  Device* device_ = nullptr;
  Shape shape_;
  std::size_t size_ = 0;
  std::shared_ptr<Block> block_;
};

template <class T>
DeviceTensor<T> upload(Device& device, const T* from, Shape shape) {
  DeviceTensor<T> result(device, std::move(shape));
  if (result.is_given()) result.upload(from);
  return result;
}
/// Copies a host tensor to the device. Returns {} if `from` is not given.
template <class T>
DeviceTensor<T> upload(Device& device, const Tensor<T>& from) {
  if (!ref::tensor::is_given(from)) return {};
  return upload(device, from.data(), ref::tensor::shape_of(from));
}

template <class T>
Tensor<T> download(const DeviceTensor<T>& from) {
  if (!from.is_given()) return {};
  Tensor<T> result = ref::tensor::empty_tensor<T>(from.shape());
  from.device().download(result.data(), from.span().data, from.size() * sizeof(T));
  return result;
}

/// Returns the element of a one-element tensor, without a download if the host knows it.
/// Requires  the tensor has one element
template <class T>
T download_element(const DeviceTensor<T>& one) {
  if (const auto known_value = one.known_value()) return *known_value;
  return download(one).data()[0];
}

/// Returns a tensor whose elements all equal `value`.
inline DeviceTensor<double> full_tensor(Device& device, const Shape& shape, double value) {
  return upload(device, ref::tensor::full_tensor<double>(shape, value));
}

/// Tensors by name, in insertion order.
class NamedDeviceTensors {
 public:
  using Entry = std::pair<std::string, DeviceTensor<double>>;

  void set(std::string_view name, DeviceTensor<double> values);
  const DeviceTensor<double>* find(std::string_view name) const;
  /// Returns the tensor of that name.
  /// Throws    ContractError that lists the existing names if there is no such tensor
  const DeviceTensor<double>& at(std::string_view name) const;
  /// Returns the tensor of that name, or {} if there is none.
  DeviceTensor<double> get(std::string_view name) const;

  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

/// Copies every tensor to the device under the same name.
NamedDeviceTensors upload(Device& device, const ref::tensor::NamedTensors<double>& from);
ref::tensor::NamedTensors<double> download(const NamedDeviceTensors& from);

}  // namespace normproof::gpu::device
