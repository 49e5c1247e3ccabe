#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gpu/device/device.hpp"
#include "gpu/ops/library_products.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::cli {

/// Who multiplies: our kernel in the contract's order, or cuBLAS.
enum class GpuMode { ordered, cublas };

struct GpuAgreeCommand {
  gpu::device::Backend device = gpu::device::Backend::simulated;
  std::uint64_t seed = 1;
  int jobs = 1;  ///< threads of ref
  GpuMode mode = GpuMode::ordered;
  gpu::ops::Precision precision = gpu::ops::Precision::float64;  ///< of cublas
  golden::corpus::Tier tier = golden::corpus::Tier::quick;
  std::optional<std::filesystem::path> json = {}, junit = {}, html = {};
};

struct GpuTrainCommand {
  gpu::device::Backend device = gpu::device::Backend::simulated;
  std::string norm = "layer_norm";
  std::string optimizer = "sgd";
  std::uint64_t seed = 42;
  std::int64_t steps = 10;
  int jobs = 1;
};

struct ProbeOrderCommand {
  std::string subject;
  gpu::device::Backend device = gpu::device::Backend::simulated;
  std::size_t terms = 600;
  std::size_t side = 8;  ///< of the products
};

/// Holds everything that gpu computes against ref, bit for bit, or the products of a library
/// against their bounds, and prints a row an operation, each as soon as it is done.
/// Returns   true where nothing differs, or is past its bound
/// Throws    NoDeviceError, DeviceError, FileError; std::logic_error where there was no case
bool gpu_agree(const GpuAgreeCommand& command);

/// Trains on the device and by ref, and prints the hash of both trajectories.
/// Returns   true where they are the same
bool gpu_train(const GpuTrainCommand& command);

/// Reveals the order in which something adds, and prints it.
/// Returns   true where it is the contract's
bool probe_order(const ProbeOrderCommand& command);

}  // namespace normproof::verification::cli
