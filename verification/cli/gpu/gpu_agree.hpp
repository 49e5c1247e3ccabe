#pragma once

#include <cstdint>

#include "gpu/device/device.hpp"
#include "gpu/ops/library_products.hpp"
#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::cli::gpu {

/// The matrix products of a comparison: our kernel in the contract's order, or cuBLAS.
enum class GpuMode { ordered, cublas };

struct GpuAgreeCommand {
  static constexpr const char* name = "agree";
  static constexpr const char* summary =
      "Compare every operation with the reference on many inputs";

  normproof::gpu::device::Backend device = normproof::gpu::device::Backend::simulated;
  std::uint64_t seed = 1;
  int jobs = processor_count();  ///< number of threads of ref
  GpuMode mode = GpuMode::ordered;
  normproof::gpu::ops::Precision precision =
      normproof::gpu::ops::Precision::float64;  ///< of the cublas mode
  verification::golden::corpus::Tier tier = verification::golden::corpus::Tier::quick;
  verification::golden::corpus::PathGlobs only = {};  ///< rows of the ordered mode to run
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Compares everything that gpu computes with ref bit for bit, or the products of cuBLAS with
  /// their bounds. Prints one row per operation as soon as it is done.
  /// Returns   kSuccess if nothing differs, or everything is within its bound
  /// Throws    NoDeviceError, DeviceError, FileError; std::logic_error if there was no case
  Output run() const;
};

}  // namespace normproof::verification::cli::gpu
