#include "gpu/device/errors.hpp"

#include <fmt/format.h>

#include <string_view>

namespace normproof::gpu::device {

std::string describe_failed_call(const std::string& call, const std::string& reason,
                                 const char* file, int line) {
  std::string_view name(file);
  if (const auto root = name.find("gpu/"); root != std::string_view::npos) name.remove_prefix(root);
  return fmt::format("{}:{}: {}: {}", name, line, call, reason);
}

void throw_download_error(const std::string& recording) {
  throw DeviceError(fmt::format(
      "a download while '{}' is recorded; expected none, for what it reads is not there yet",
      recording));
}

void throw_out_of_bounds_error(std::size_t index, std::size_t size) {
  throw DeviceError(fmt::format("a kernel reads or writes element {} of {}", index, size));
}

}  // namespace normproof::gpu::device
