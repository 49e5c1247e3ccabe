#include "gpu/device/recording.hpp"

#include <stdexcept>

namespace normproof::gpu::device {

Recording::Recording(Device& device, const std::string& name)
    : device_(device), flag_(device, {1}) {
  if (device.recording_ != nullptr)
    throw std::logic_error("Recording: another one is not performed yet");
  device.begin_recording(name);
  device.recording_ = this;
  try {
    const std::uint32_t none = 0;
    device.upload(flag_.span().data, &none, sizeof none);
  } catch (...) {
    forget();
    throw;
  }
}

Recording::~Recording() {
  forget();
}

void Recording::forget() noexcept {
  if (device_.recording_ != this) return;
  device_.recording_ = nullptr;
  device_.forget_recording();
}

void Recording::perform() {
  if (device_.recording_ != this) throw std::logic_error("Recording: performed a second time");
  device_.perform_recording();
  device_.recording_ = nullptr;
}

bool Recording::refused() const {
  return download(flag_).data()[0] != 0;
}

}  // namespace normproof::gpu::device
