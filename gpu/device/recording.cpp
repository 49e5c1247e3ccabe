#include "gpu/device/recording.hpp"

#include "ref/numeric/errors.hpp"

namespace normproof::gpu::device {

using ref::numeric::Clause;
using ref::numeric::contract_failure;

Recording::Recording(Device& device, const std::string& name)
    : device_(device), flag_(device, {1}) {
  if (device.recording_ != nullptr)
    contract_failure("Recording", "device", "records other work", "no work that is being recorded",
                     Clause::C1);
  device.begin_recording(name);
  device.recording_ = this;
  try {
    const std::uint32_t none = 0;
    device.upload(flag_.span().data, &none, sizeof none);
  } catch (...) {
    discard_recording();
    throw;
  }
}

Recording::~Recording() {
  discard_recording();
}

void Recording::discard_recording() noexcept {
  if (device_.recording_ != this) return;
  device_.recording_ = nullptr;
  device_.forget_recording();
}

void Recording::perform() {
  if (device_.recording_ != this)
    contract_failure("Recording::perform", "the work", "is performed already",
                     "work that is performed once", Clause::C2);
  device_.perform_recording();
  device_.recording_ = nullptr;
}

bool Recording::has_failed_check() const {
  if (device_.recording_ == this)
    contract_failure("Recording::refused", "the work", "is not performed yet",
                     "work that is performed", Clause::C3);
  return download(flag_).data()[0] != 0;
}

}  // namespace normproof::gpu::device
