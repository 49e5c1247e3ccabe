#pragma once

#include <cstddef>
#include <string>

#include "gpu/device/device.hpp"
#include "verification/cli/command.hpp"

namespace normproof::verification::cli::gpu {

struct ProbeOrderCommand {
  static constexpr const char* name = "probe-order";
  static constexpr const char* summary =
      "Reveal the order in which a sum or a matrix product is added";

  std::string subject = {};
  std::size_t terms = 600;
  std::size_t side = 8;  ///< number of rows and columns of the products
  normproof::gpu::device::Backend device = normproof::gpu::device::Backend::simulated;
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Finds the order in which an implementation adds the terms of a sum, and prints the order.
  /// Returns   kSuccess if it is the order of the contract
  Output run() const;
};

}  // namespace normproof::verification::cli::gpu
