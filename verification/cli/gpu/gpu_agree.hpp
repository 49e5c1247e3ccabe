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

/// The matrix products that are compared with ref. In the mode `ordered`, these are the products of
/// the project's own kernel, which adds in the order of the contract. In the mode `cublas`, they
/// are the products of cuBLAS.
enum class GpuProductMode { ordered, cublas };

struct GpuAgreeCommand {
  static constexpr const char* name = "agree";
  static constexpr const char* summary =
      "Compare every operation with the reference on many inputs";

  normproof::gpu::device::Backend device = normproof::gpu::device::Backend::simulated;
  std::uint64_t seed = 1;
  int jobs = processor_count();  ///< number of threads for ref
  GpuProductMode mode = GpuProductMode::ordered;
  normproof::gpu::ops::Precision precision =
      normproof::gpu::ops::Precision::float64;  ///< precision in the mode cublas
  verification::golden::corpus::Tier tier = verification::golden::corpus::Tier::quick;
  verification::golden::corpus::PathGlobs only = {};  ///< rows to run in the mode ordered
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Compares the GPU code with ref. In the mode ordered, every operation must give the same bits.
  /// In the mode cublas, each product must be within its error bound. Prints one row per operation
  /// as soon as it is done.
  /// Returns   kSuccess if all bits are the same, or all products are within their bounds
  /// Throws    NoDeviceError, DeviceError, FileError; std::logic_error if there was no case
  Output run() const;
};

}  // namespace normproof::verification::cli::gpu
